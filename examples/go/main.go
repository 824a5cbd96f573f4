// Leases tasks of a queue and works on them. usage: pull-worker SERVER QUEUE [--until-idle]
//
// TANDEM_TOKEN has a token with the role worker. Needs Go 1.19 to build, and nothing else.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const parallel = 10

// Task has those fields of a task that this worker needs.
type Task struct {
	Lease   string `json:"lease"`
	ID      string `json:"id"`
	Key     string `json:"key"`
	Attempt int    `json:"attempt"`
	Token   int64  `json:"token"`
	Payload struct {
		Order string `json:"order"`
		Flaky bool   `json:"flaky"`
	} `json:"payload"`
}

type answer struct {
	status int
	Tasks  []Task `json:"tasks"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy"`
	Lost   []struct {
		Lease string `json:"lease"`
	} `json:"lost"`
}

type fields map[string]any

var (
	errHopeless = errors.New("the payload has no order") // the task can never succeed
	server      = os.Args[1]
	queue       = os.Args[2]
	untilIdle   = len(os.Args) > 3 && os.Args[3] == "--until-idle"

	mutex sync.Mutex
	held  = map[string]context.CancelFunc{} // the leases of the tasks that we have, and what stops the work on each
)

// handle does the work, and returns the result. The context ends if the task is lost.
func handle(ctx context.Context, task Task) (any, error) {
	if task.Payload.Order == "" {
		return nil, errHopeless
	}
	if task.Payload.Flaky && task.Attempt == 1 {
		return nil, errors.New("this one fails the first time")
	}
	fmt.Println("done", task.Key, task.Payload.Order)
	return fields{"shipped": task.Payload.Order}, ctx.Err()
}

// say sends a request until there is an answer. The same one may be sent again: it is not done twice.
func say(ctx context.Context, verb string, body fields, timeout time.Duration) answer {
	text, err := json.Marshal(body)
	if err != nil {
		log.Fatal(err)
	}
	for pause := 500 * time.Millisecond; ; pause = shorter(2*pause, 10*time.Second) {
		got, err := send(ctx, verb, text, timeout)
		if err == nil && got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable {
			return got
		}
		if ctx.Err() != nil {
			return answer{status: http.StatusOK}
		}
		log.Printf("%s: %s %v, trying again", verb, got.Detail, err)
		time.Sleep(pause)
	}
}

func send(ctx context.Context, verb string, text []byte, timeout time.Duration) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	url := server + "/api/v1/queues/" + queue + "/pull/" + verb
	request, err := http.NewRequestWithContext(limited, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TANDEM_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	got := answer{status: response.StatusCode}
	return got, json.NewDecoder(response.Body).Decode(&got)
}

func shorter(one, other time.Duration) time.Duration {
	if one < other {
		return one
	}
	return other
}

// end says how a task ended, also while the program stops.
func end(verb string, task Task, more fields) {
	mutex.Lock()
	delete(held, task.Lease)
	mutex.Unlock()
	body := fields{"lease": task.Lease}
	for name, value := range more {
		body[name] = value
	}
	if got := say(context.Background(), verb, body, 30*time.Second); got.status >= 300 {
		// Somebody else has the task by now, or an operator has cancelled it.
		log.Printf("%s: %s", verb, got.Detail)
	}
}

// keep extends all leases long before they run out.
func keep() {
	for range time.Tick(10 * time.Second) {
		leases := []fields{}
		mutex.Lock()
		for lease := range held {
			leases = append(leases, fields{"lease": lease})
		}
		mutex.Unlock()
		if len(leases) == 0 {
			continue
		}
		for _, lost := range say(context.Background(), "extend", fields{"leases": leases}, 30*time.Second).Lost {
			mutex.Lock()
			if stop, found := held[lost.Lease]; found {
				stop()
				delete(held, lost.Lease)
			}
			mutex.Unlock()
		}
	}
}

func workOn(ctx context.Context, task Task) {
	result, err := handle(ctx, task)
	switch {
	case errors.Is(err, context.Canceled):
		end("release", task, nil)
	case errors.Is(err, errHopeless):
		log.Printf("buried %s: %v", task.ID, err)
		end("bury", task, fields{"reason": err.Error()})
	case err != nil:
		log.Printf("failed %s: %v", task.ID, err)
		end("fail", task, fields{"error": err.Error()})
	default:
		end("finish", task, fields{"result": result})
	}
}

func main() {
	log.SetFlags(0)
	stopping, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	go keep()
	host, _ := os.Hostname()
	call := fields{"max": parallel, "wait": "20s", "leaseTime": "30s", "worker": fmt.Sprintf("%s-%d", host, os.Getpid())}
	if untilIdle {
		call["wait"] = "2s"
	}
	for stopping.Err() == nil {
		got := say(stopping, "lease", call, 40*time.Second)
		if got.status != http.StatusOK {
			log.Fatalf("lease: %s. %s", got.Detail, got.Remedy)
		}
		// They have different keys, so their order does not matter.
		var all sync.WaitGroup
		for _, each := range got.Tasks {
			ctx, cancel := context.WithCancel(context.Background())
			mutex.Lock()
			held[each.Lease] = cancel
			mutex.Unlock()
			all.Add(1)
			go func(task Task) {
				defer all.Done()
				defer cancel()
				workOn(ctx, task)
			}(each)
		}
		all.Wait()
		if untilIdle && len(got.Tasks) == 0 {
			return
		}
	}
}
