package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.RunNotes;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Makes random requests of runs. */
final class RandomRunRequests {

    private RandomRunRequests() {}

    /**
     * Returns a request, most often of a run that its executor believes to have.
     *
     * @param running those runs, with their tokens
     * @param anywhere returns a random position
     */
    static RunRequest next(
            Random random, Partition partition, Map<Position, Long> running, long epoch, Supplier<Position> anywhere) {
        List<Position> known = List.copyOf(running.keySet());
        Position position =
                known.isEmpty() || random.nextInt(6) == 0 ? anywhere.get() : known.get(random.nextInt(known.size()));
        long token = running.getOrDefault(position, epoch + random.nextInt(20));
        byte[] bytes = new byte[random.nextInt(5)];
        random.nextBytes(bytes);
        return switch (random.nextInt(4)) {
            case 0 -> new RunRequest.SaveCheckpoint(partition, position, token, bytes);
            case 1 ->
                new RunRequest.KeepProgress(
                        partition,
                        1 + random.nextInt(3),
                        List.of(
                                new RunNotes(position, token, "p" + bytes.length, List.of("a", "b")),
                                new RunNotes(anywhere.get(), epoch + random.nextInt(20), "", List.of("c"))));
            default -> new RunRequest.ReadCheckpoint(partition, position, token);
        };
    }
}
