package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndMessageTest {

    private static final Partition PARTITION = new Partition("orders", "3");

    private static List<String> read(String message) {
        List<String> lines = new ArrayList<>();
        EndMessage.read(message, (hash, position) -> lines.add(hash + "=" + position), () -> lines.add("any"));
        return lines;
    }

    @Test
    void aMessageNamesThePartitionAndEachTaskByAHashAndItsPosition() {
        EndMessage message = new EndMessage(PARTITION);
        assertThat(message.isEmpty()).isTrue();
        message.add(EndMessage.hash("o-7"), new Position("0:17"));
        message.addAny();
        assertThat(message.isEmpty()).isFalse();
        assertThat(message).hasToString("3\n" + EndMessage.hash("o-7") + " 0:17\n*");
        assertThat(read(message.toString())).containsExactly(EndMessage.hash("o-7") + "=0:17", "any");
    }

    @Test
    void linesThatMakeNoSenseArePassedOver() {
        assertThat(read("")).isEmpty();
        assertThat(read("3\n\n00000000\n00000000 \nx\n00000000:0:1")).isEmpty();
    }

    @Test
    void aTaskOfALogWithoutAnIdIsNamedByItsPlace() {
        assertThat(EndMessage.defaultName(PARTITION, Position.of(9, 17))).isEqualTo("3:17");
        assertThat(EndMessage.defaultNameIn("orders.v1:3:17")).isEqualTo("3:17");
        assertThat(EndMessage.defaultNameIn("o-7")).isNull();
        assertThat(EndMessage.hash("o-7")).hasSize(EndMessage.HASH_DIGITS);
    }
}
