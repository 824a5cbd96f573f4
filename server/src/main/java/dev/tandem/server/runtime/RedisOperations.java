package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.OperationBook;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.OperationJson;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.OperationProgress.State;
import java.time.Instant;
import java.util.List;

/** Shows operations in Redis on behalf of the API, and begins and stops them. */
final class RedisOperations implements OperationAdministration {

    private final OperationBook book;
    private final Runnable begun;

    /** @param begun called when an operation has begun, or is to stop: somebody must run it */
    RedisOperations(OperationBook book, Runnable begun) {
        this.book = book;
        this.begun = begun;
    }

    @Override
    public Begun begin(Operation operation) {
        Begun result =
                switch (await(book.begin(name(operation.queue(), operation.id()), OperationJson.write(operation)))) {
                    case BEGUN -> Begun.BEGUN;
                    case KNOWN -> Begun.KNOWN;
                    case DIFFERS -> isKnown(operation) ? Begun.KNOWN : Begun.DIFFERS;
                    case NO_ROOM -> Begun.NO_ROOM;
                };
        begun.run();
        return result;
    }

    /** Whether the operation with this id is the same one, which somebody else asked for. */
    private boolean isKnown(Operation operation) {
        return find(operation.queue(), operation.id())
                .map(OperationInfo::operation)
                .filter(operation::doesTheSameAs)
                .isPresent();
    }

    @Override
    public Stop stop(String queue, String id) {
        Stop result = switch (await(book.stop(name(queue, id)))) {
            case STOPPING -> Stop.STOPPING;
            case ENDED -> Stop.ENDED;
            case UNKNOWN -> Stop.UNKNOWN;
        };
        begun.run();
        return result;
    }

    @Override
    public List<OperationInfo> all() {
        return await(book.list()).stream().map(RedisOperations::info).toList();
    }

    static OperationInfo info(OperationBook.Entry entry) {
        int slash = entry.name().indexOf('/');
        OperationProgress progress = OperationJson.progress(entry.progress());
        if (entry.endedAt() == 0) {
            State state = entry.stopping()
                    ? State.STOPPING
                    : entry.program() == null && entry.progress() == null ? State.WAITING : State.RUNNING;
            progress = progress.in(state);
        }
        return new OperationInfo(
                entry.name().substring(0, slash),
                entry.name().substring(slash + 1),
                OperationJson.operation(entry.definition()).orElse(null),
                progress,
                Instant.ofEpochMilli(entry.beganMicros() / 1_000),
                entry.endedAt() == 0 ? null : Instant.ofEpochMilli(entry.endedAt()),
                entry.program());
    }

    private static String name(String queue, String id) {
        return queue + "/" + id;
    }
}
