package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Task;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The keys for which one recall reads, and from where. */
class RecallGroupsTest {

    private final RecallGroups groups = new RecallGroups(null);
    private final OverflowKey a = new OverflowKey("a", 5);
    private final OverflowKey b = new OverflowKey("b", 7);
    private final OverflowKey c = new OverflowKey("c", 90);

    @Test
    void aRecallReadsForAllKeysThatHaveRoomFromTheLowestOffsetOn() {
        groups.add(b);
        groups.add(a);
        assertThat(groups.begin()).isEqualTo(5);
        assertThat(wanted()).containsExactly("a", "b");
    }

    @Test
    void whatWasReadWasReadForAllOfThem() {
        groups.add(a);
        groups.add(b);
        groups.add(c);
        groups.begin();
        groups.advance(20);
        assertThat(a.from()).isEqualTo(20);
        assertThat(b.from()).isEqualTo(20);
        assertThat(c.from()).isEqualTo(90);
        groups.advance(100);
        assertThat(c.from()).isEqualTo(100);
        assertThat(groups.begin()).isEqualTo(100);
    }

    @Test
    void aKeyThatComesWhileARecallIsOnItsWayIsReadForByTheNextOne() {
        groups.add(b);
        groups.begin();
        groups.add(a);
        assertThat(wanted()).containsExactly("b");
        groups.advance(20);
        assertThat(a.from()).isEqualTo(5);
        assertThat(groups.begin()).isEqualTo(5);
    }

    @Test
    void aKeyThatLeavesStaysWhereItWas() {
        groups.add(a);
        groups.add(b);
        groups.begin();
        groups.remove(a);
        groups.advance(20);
        assertThat(a.from()).isEqualTo(5);
        assertThat(wanted()).containsExactly("b");
        groups.remove(b);
        assertThat(b.from()).isEqualTo(20);
        assertThat(groups.isEmpty()).isTrue();
    }

    @Test
    void onlyKeysWhoseRecordsMayComeCountForHowMuchIsRead() {
        groups.add(a);
        groups.add(b);
        groups.add(c);
        groups.begin();
        assertThat(groups.tasksToAskFor(90, 1_000)).isEqualTo(a.atOnce() + b.atOnce());
        assertThat(groups.tasksToAskFor(90, 6)).isEqualTo(6);
        assertThat(groups.tasksToAskFor(91, 1_000)).isEqualTo(a.atOnce() + b.atOnce() + c.atOnce());
    }

    private Stream<String> wanted() {
        return Stream.of("a", "b", "c").filter(key -> groups.wants(Task.of("orders", key, new byte[0])));
    }
}
