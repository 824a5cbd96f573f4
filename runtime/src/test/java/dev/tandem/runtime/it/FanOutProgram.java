package dev.tandem.runtime.it;

import dev.tandem.api.FanOut;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** A program whose master stands still shortly before the end of its stream. Its arguments: settings, queue, count, journal. */
final class FanOutProgram {

    private FanOutProgram() {}

    public static void main(String[] arguments) {
        Path journal = Path.of(arguments[3]);
        String queue = arguments[1];
        int last = Integer.parseInt(arguments[2]) - 1;
        Tandem.connect(Path.of(arguments[0]))
                .queue(queue)
                .handler("import", Integer.class, (count, task) -> {
                    task.fanOut(
                            IntStream.range(0, count).mapToObj(number -> {
                                if (number == last) {
                                    hang(journal);
                                }
                                return TaskRequest.of(queue, "row", number);
                            }),
                            FanOut.then(TaskRequest.of(queue, "done", 0)));
                })
                .handler("row", Integer.class, (number, task) -> {})
                .start();
    }

    private static void hang(Path journal) {
        try {
            Files.writeString(journal, "published");
            new CountDownLatch(1).await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
