package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskDependencies.Policy;
import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a task waits for, as its headers say. */
class TaskDependenciesTest {

    private static Read read(Field... fields) {
        return new TaskHeaders("mine", Binding.KAFKA, 100)
                .read(List.of(fields), new Origin(null, null, null, null, 1, 1), new byte[0]);
    }

    @Test
    void idsAreOfTheOwnQueueOrNameAnother() {
        Task task = read(
                        Field.of("tandem-depends-on", "a-1, //pay.in/b/2 ,c%2C3,,a-1,/d,e:5,50%25"),
                        Field.of("tandem-depends-policy", "Wait"),
                        Field.of("tandem-depends-timeout", "2h"))
                .task();
        assertThat(TaskDependencies.of(task))
                .isEqualTo(new TaskDependencies(
                        List.of(
                                new BusinessId("mine", "a-1"),
                                new BusinessId("pay.in", "b/2"),
                                new BusinessId("mine", "c,3"),
                                new BusinessId("mine", "/d"),
                                new BusinessId("mine", "e:5"),
                                new BusinessId("mine", "50%")),
                        Policy.WAIT,
                        7_200_000));
    }

    @Test
    void aTaskWithoutIdsWaitsForNothing() {
        assertThat(TaskDependencies.of(read().task())).isNull();
        assertThat(TaskDependencies.of(
                        read(Field.of("tandem-depends-on", " , ")).task()))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tandem-depends-on      | //no-slash    | as //queue/id",
                "tandem-depends-on      | //bad name/a  | as //queue/id",
                "tandem-depends-on      | //q/          | 1 to 512 bytes",
                "tandem-depends-on      | 5%            | as %25",
                "tandem-depends-policy  | halt          | use die, wait or run",
                "tandem-depends-timeout | 0             | above zero",
                "tandem-depends-timeout | soon          | use milliseconds or a duration"
            })
    void whatCannotBeReadIsNamedWithTheRemedy(String header, String value, String hint) {
        Read read = read(Field.of("tandem-depends-on", "a"), Field.of(header, value));
        assertThat(read.unreadable()).contains("header '" + header + "' has the value '" + value + "'", hint);
        assertThat(read.task().headers()).as("nothing is lost").containsEntry(header, value);
    }

    @Test
    void theNumberOfIdsIsBounded() {
        String many = IntStream.rangeClosed(1, 33).mapToObj(i -> "id-" + i).collect(Collectors.joining(","));
        assertThat(read(Field.of("tandem-depends-on", many)).unreadable()).contains("33 ids: a task may wait for 32");
        assertThat(read(Field.of("tandem-depends-on", "a".repeat(513))).unreadable())
                .contains("1 to 512 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"other,a%2Cb", "//mine/a,b"})
    void aTaskDoesNotWaitForItself(String on) {
        String own = on.startsWith("//") ? "a" : "a,b";
        assertThat(read(Field.of("tandem-depends-on", on), Field.of("tandem-dedup-key", own))
                        .unreadable())
                .contains("own deduplication key '" + own + "'", "leave that id out");
        assertThat(read(Field.of("tandem-depends-on", "//other/a"), Field.of("tandem-dedup-key", "a"))
                        .unreadable())
                .as("the key is of another queue")
                .isNull();
    }
}
