package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Messages with far more headers than are allowed: each header costs the same, however many there are. */
class RepeatedHeadersTest {

    private static final int FEW = 500;
    private static final int MANY = 16 * FEW;

    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Work is measured in allocated bytes, which unlike time do not depend on the machine: each step of a search for a
     * free name makes a name. Quadratic work would grow 256-fold.
     */
    @Test
    void sixteenTimesAsManyHeadersCostSixteenTimesTheWork() {
        shapes().forEach((shape, header) -> {
            List<Field> few = headers(FEW, header);
            List<Field> many = headers(MANY, header);
            read(few);
            long work = allocatedBy(() -> read(few));

            assertThat(allocatedBy(() -> read(many))).as(shape).isLessThan(32 * work);
            assertThat(allocatedBy(() -> keepEach(many)))
                    .as(shape + ", kept one by one")
                    .isLessThan(32 * allocatedBy(() -> keepEach(few)));
        });
    }

    @Test
    void theHeadersOfAnUnreadableMessageAreAllKeptInBoundedMemory() {
        Read read = read(headers(100_000, i -> Field.of("x" + i % 3, Integer.toString(i))));

        assertThat(read.unreadable()).contains("100000 headers").contains("256");
        Map<String, String> kept = read.task().headers();
        assertThat(kept).hasSize(1_025).containsEntry("x0", "1023");
        assertThat(kept.get(TaskHeaders.MORE_HEADERS))
                .startsWith("x1=1024\nx2=1025\n")
                .endsWith("x0=99999\n");
        assertThat(read.task().weight()).isLessThan(2_000_000);
    }

    @Test
    void aNumberThatIsTakenIsSkipped() {
        KeptHeaders kept = new KeptHeaders();
        kept.add(Field.of("x#1", "own"));
        kept.add(Field.of("x", "1"));
        kept.add(Field.of("x", "2"));
        kept.add(Field.of("x", "3"));

        assertThat(kept.headers())
                .containsEntry("x#1", "own")
                .containsEntry("x#2", "1")
                .containsEntry("x#3", "2")
                .containsEntry("x", "3");
    }

    private static Map<String, IntFunction<Field>> shapes() {
        Map<String, IntFunction<Field>> shapes = new TreeMap<>();
        shapes.put("one name", i -> Field.of("x", Integer.toString(i)));
        shapes.put("two names in turn", i -> Field.of(i % 2 == 0 ? "x" : "y", ""));
        shapes.put("taken numbers first", i -> Field.of(i < FEW / 2 ? "x#" + i : "x", ""));
        shapes.put("numbers of numbers", i -> Field.of("x#1".repeat(i % 5 + 1), ""));
        shapes.put("equal hash codes", i -> Field.of(i % 2 == 0 ? "AaAa" : "BBBB", ""));
        shapes.put("a field of the task", i -> Field.of(TaskHeaders.DELAY, "none"));
        shapes.put("an attribute of an event", i -> Field.of("ce_id", "\n"));
        shapes.put("bytes that are no text", i -> new Field("x", new byte[] {-1, (byte) i}));
        return shapes;
    }

    private static List<Field> headers(int count, IntFunction<Field> header) {
        List<Field> fields = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            fields.add(header.apply(i));
        }
        return fields;
    }

    private static Read read(List<Field> fields) {
        return new TaskHeaders("orders", Binding.KAFKA, 1_000)
                .read(fields, new Origin(null, null, null, null, 0, 1), "body".getBytes(StandardCharsets.UTF_8));
    }

    private static void keepEach(List<Field> fields) {
        KeptHeaders kept = new KeptHeaders();
        fields.forEach(kept::add);
    }

    private static long allocatedBy(Runnable work) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
