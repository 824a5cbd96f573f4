module example.com/pull-worker

go 1.19
