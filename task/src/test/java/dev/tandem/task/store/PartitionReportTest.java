package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionReportTest {

    private static final PartitionReport FULL = report("3", 70_123);

    private static PartitionReport report(String partition, long bytes) {
        return new PartitionReport(
                partition, "web-1", 1_204, 12, 1, bytes, true, false, true, 500, false, "starts are\tslowed\ndown");
    }

    private static List<String> lines(PartitionReport report) {
        return report.lines().toList();
    }

    @Test
    void aReportIsReadAsItWasWritten() {
        List<String> lines = lines(FULL);
        assertThat(lines).allSatisfy(line -> assertThat(line.lines()).hasSize(1));
        PartitionReport read = PartitionReport.read(lines).get(0);
        assertThat(read.withheld()).startsWith("starts are").doesNotContain("\n");
        assertThat(read).usingRecursiveComparison().ignoringFields("withheld").isEqualTo(FULL);
    }

    @Test
    void otherLinesAreSkipped() {
        assertThat(PartitionReport.read(List.of("1\t3\t1:17", "b1", "b2\t3\t4", "")))
                .isEmpty();
        assertThat(PartitionReport.read(List.of("p2" + lines(FULL).get(0).substring(2))))
                .isEmpty();
    }

    @Test
    void eachReportHasItsOwnBytes() {
        List<String> lines = List.of(
                lines(FULL).get(0),
                lines(report("4", 7)).get(0),
                lines(report("4", 7)).get(1),
                lines(FULL).get(1));
        assertThat(PartitionReport.read(lines))
                .extracting(PartitionReport::bytes)
                .containsExactly(70_123L, 7L);
    }

    @Test
    void anOwnerOfAnEarlierVersionDoesNotSayHowManyBytes() {
        assertThat(PartitionReport.read(List.of(lines(FULL).get(0))))
                .extracting(PartitionReport::bytes)
                .containsExactly(PartitionReport.NOT_COUNTED);
        assertThat(lines(report("3", PartitionReport.NOT_COUNTED))).hasSize(1);
    }

    @Test
    void aServerOfAnEarlierVersionFindsTheLineThatItKnows() {
        assertThat(lines(FULL).get(0))
                .startsWith("p1\t3\tweb-1\t1204\t12\t1\ttrue\tfalse\ttrue\t500\tfalse\tstarts are");
    }
}
