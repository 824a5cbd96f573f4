package dev.tandem.spring.shop;

import dev.tandem.api.Backoff;
import dev.tandem.api.Batch;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskHandler;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** Several handlers in one bean without a proxy. */
@Component
class Shipping {

    private final Journal journal;

    Shipping(Journal journal) {
        this.journal = journal;
    }

    @TaskHandler(
            queue = "${shop.queue}",
            type = "ship",
            timeout = "30s",
            maxAttempts = 8,
            backoff = @Backoff(initial = "50ms", max = "1s"),
            deadOn = ArithmeticException.class)
    Receipt ship(Ship ship, TaskContext task) {
        journal.add("ship " + task.key() + " " + ship.items() + " attempt " + task.attempt());
        if (ship.order().equals("impossible")) {
            throw new ArithmeticException("impossible");
        }
        if (ship.order().equals("flaky") && task.attempt() < 3) {
            throw new IllegalStateException("again");
        }
        return new Receipt(ship.order(), task.token());
    }

    @ShopHandler("slow")
    void slow(String order) throws InterruptedException {
        journal.add("slow " + order + " begun");
        Thread.sleep(1_000);
        journal.add("slow " + order + " ended");
    }

    @ShopHandler("ship-all")
    void shipAll(List<Ship> ships) {
        journal.add("ship-all " + ships.get(1).order());
    }

    @TaskHandler(queue = "${shop.queue}", type = "pack", batch = @Batch(maxSize = 3, maxWait = "${shop.wait:1m}"))
    List<Result> pack(List<Ship> ships, List<TaskContext> tasks) {
        journal.add("packed " + ships.size());
        return IntStream.range(0, ships.size())
                .mapToObj(i -> pack(ships.get(i), tasks.get(i)))
                .toList();
    }

    private Result pack(Ship ship, TaskContext task) {
        journal.add("pack " + ship.order() + " attempt " + task.attempt() + " of " + task.batchSize());
        return ship.order().equals("flaky") && task.attempt() == 1
                ? Result.again(Duration.ZERO, "once more")
                : Result.done();
    }

    @ShopHandler(value = "cancel", formerly = "revoke")
    Result cancel(TaskContext task, String order) {
        journal.add(task.type() + " " + order + " attempt " + task.attempt());
        return task.attempt() == 1 ? Result.again(Duration.ZERO, "once more") : Result.done();
    }
}
