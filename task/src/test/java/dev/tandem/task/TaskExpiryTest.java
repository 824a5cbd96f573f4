package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The headers that say when a task expires. */
class TaskExpiryTest {

    private static final long SENT = 1_790_000_000_000L;

    private final TaskHeaders reader = new TaskHeaders("orders", Binding.KAFKA, 100);

    private Read read(Field... fields) {
        return reader.read(List.of(fields), new Origin(null, null, null, null, SENT, SENT + 5_000), new byte[0]);
    }

    @ParameterizedTest
    @CsvSource({
        "tandem-expires-at, 1790000100000, 1790000100000",
        "tandem-expires-at, 2026-09-21T14:15:00Z, 1790000100000",
        "tandem-expires-at, 1000, 1000",
        "tandem-expires-at, -5, 1",
        "tandem-ttl, 5m, 1790000300000",
        "tandem-ttl, PT5M, 1790000300000",
        "tandem-ttl, 300000, 1790000300000"
    })
    void aTimeIsReadInEachOfItsForms(String header, String value, long expiresAt) {
        Task task = read(Field.of(header, value)).task();
        assertThat(task.expiresAt()).isEqualTo(expiresAt);
        assertThat(task.headers()).isEqualTo(Map.of("tandem-expires-at", Long.toString(expiresAt)));
    }

    @Test
    void aTaskWithoutTheHeadersNeverExpires() {
        assertThat(read().task().expiresAt()).isZero();
        assertThat(read(Field.of("h", "v")).task().expiresAt()).isZero();
    }

    @Test
    void theTtlCountsFromTheEarliestStartAndTheEarlierTimeCounts() {
        assertThat(read(Field.of("tandem-delay", "1h"), Field.of("tandem-ttl", "5m"))
                        .task()
                        .expiresAt())
                .isEqualTo(SENT + 3_900_000);
        assertThat(read(Field.of("tandem-ttl", "5m"), Field.of("tandem-expires-at", Long.toString(SENT + 60_000)))
                        .task()
                        .expiresAt())
                .isEqualTo(SENT + 60_000);
    }

    @Test
    void theTtlOfAMessageWithoutATimeCountsFromItsArrival() {
        Origin unknown = new Origin(null, null, null, null, 0, SENT);
        Task task = reader.read(List.of(Field.of("tandem-ttl", "1s")), unknown, new byte[0])
                .task();
        assertThat(task.expiresAt()).isEqualTo(SENT + 1_000);
    }

    @ParameterizedTest
    @CsvSource({
        "tandem-expires-at, tomorrow, use epoch milliseconds",
        "tandem-expires-at, '', use epoch milliseconds",
        "tandem-expires-at, 999999999999999, use epoch milliseconds",
        "tandem-ttl, 0, above zero",
        "tandem-ttl, -1, above zero",
        "tandem-ttl, a while, above zero",
        "tandem-ttl, 253402300799999, beyond the year 9999"
    })
    void aValueThatCannotBeReadMakesTheMessageUnreadable(String header, String value, String hint) {
        Read read = read(Field.of(header, value));
        assertThat(read.unreadable()).contains(hint);
        assertThat(read.task().headers()).containsEntry(header, value);
    }

    @Test
    void aTaskThatCouldNeverRunIsUnreadable() {
        assertThat(read(Field.of("tandem-delay", "1h"), Field.of("tandem-expires-at", Long.toString(SENT + 3_600_000)))
                        .unreadable())
                .contains("can never run", "tandem-ttl");
    }

    @Test
    void aTaskThatIsWrittenAndReadAgainExpiresAtTheSameTime() {
        Task task = read(Field.of("tandem-ttl", "5m"), Field.of("h", "v")).task();
        List<Field> written = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> written.add(new Field(name, value)));
        assertThat(read(written.toArray(new Field[0])).task().headers()).isEqualTo(task.headers());
    }

    @Test
    void aHeaderThatAnEarlierVersionKeptAsItWasCountsIfItCanBeRead() {
        Task kept = Task.of("orders", null, new byte[0]);
        assertThat(kept.withHeaders(Map.of("tandem-expires-at", "2026-09-21T14:15:00Z"))
                        .expiresAt())
                .isEqualTo(1_790_000_100_000L);
        assertThat(kept.withHeaders(Map.of("tandem-expires-at", "soon")).expiresAt())
                .isZero();
    }
}
