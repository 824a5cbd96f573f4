package dev.tandem.scheduler;

import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.ReadLines.LineRead;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreRequest.Move.JoinLine;
import java.util.List;
import java.util.Random;

/** Makes random requests about lines of tenants. There are two. */
final class RandomLines {

    private static final int LINES = 2;

    private RandomLines() {}

    static JoinLine join(Random random) {
        return new JoinLine(random.nextInt(LINES));
    }

    static ReadLines read(Random random, RequestHeader header) {
        int first = random.nextInt(LINES);
        List<LineRead> lines = List.of(
                new LineRead(first, LineRead.FRONT, 1 + random.nextInt(3)),
                new LineRead(LINES - 1 - first, LineRead.FRONT, random.nextInt(3)));
        return new ReadLines(header, lines, random.nextBoolean() ? ReadLines.FIND_NONE : random.nextInt(LINES));
    }
}
