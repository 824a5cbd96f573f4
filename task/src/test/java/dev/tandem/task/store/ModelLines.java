package dev.tandem.task.store;

import dev.tandem.task.store.ReadLines.LineRead;
import dev.tandem.task.store.StoreAnswer.LineTask;
import dev.tandem.task.store.StoreAnswer.LinesRead;
import java.util.ArrayList;
import java.util.List;

/** Applies {@link ReadLines}. */
final class ModelLines {

    private ModelLines() {}

    static LinesRead read(ModelPartition partition, ReadLines request) {
        ModelTasks tasks = partition.tasks;
        List<LineTask> read = new ArrayList<>();
        List<Integer> more = new ArrayList<>();
        for (LineRead line : request.lines()) {
            int count = 0;
            for (DueSet.Entry entry : tasks.line(line.line(), line.line() + 1)) {
                if (entry.dueAt() <= line.after()) {
                    continue;
                }
                if (count++ == line.most()) {
                    more.add(line.line());
                    break;
                }
                StoredEnvelope envelope = tasks.envelope(entry.position());
                boolean head = envelope.key() != null && partition.isHead(envelope.key(), entry.position());
                read.add(new LineTask(line.line(), entry.position(), entry.dueAt(), head, envelope.bytes()));
            }
        }
        List<Integer> found = request.findFrom() == ReadLines.FIND_NONE
                ? List.of()
                : tasks.line(request.findFrom(), ReadLines.LINES).stream()
                        .map(entry -> ModelTasks.lineOf(entry.dueAt()))
                        .distinct()
                        .limit(ReadLines.MAX_FOUND)
                        .toList();
        return new LinesRead(read, more, found);
    }
}
