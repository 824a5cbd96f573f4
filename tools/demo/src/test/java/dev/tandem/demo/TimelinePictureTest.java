package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoEvent.Kind;
import dev.tandem.demo.DemoTask.PlannedEnd;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

/** The picture shows what the events say: what the kill hit, what failed, what went on, and the verdict. */
class TimelinePictureTest {

    private static final long KILL = 100_000_000;
    private static final String SURVIVOR = "one";
    private static final String VICTIM = "two";

    private final List<Published> published = new ArrayList<>();
    private final Map<String, List<DemoEvent>> logs = new LinkedHashMap<>();
    private final Kill kill = new Kill(VICTIM, KILL);
    private long token;

    @Test
    void keysAreChosenByWhatHappenedToThem() throws Exception {
        history();

        String picture = picture();

        assertThat(picture).contains(">order-1<", "cut off by the kill");
        assertThat(picture).contains(">order-2<", "moved to the other executor");
        assertThat(picture).contains(">order-3<", "not affected");
        assertThat(picture).contains(">order-4<", "failed, and was tried again");
        assertThat(picture).doesNotContain("order-5");
    }

    @Test
    void runThatTheKillCutOffIsCrossedOutAndStartsAgain() throws Exception {
        history();

        String picture = picture();

        // The legend has one bar of each color.
        assertThat(picture.split("#f59e0b", -1)).hasSize(1 + 1 + 3);
        assertThat(picture.split("l7 7m0 -7l-7 7", -1)).hasSize(1 + 1);
    }

    @Test
    void verdictIsThatOfTheCheck() throws Exception {
        history();
        assertThat(picture())
                .contains("All 10 tasks of the run: 0 lost, 0 out of order")
                .contains("The check passed.");

        step("order-6", 0);
        assertThat(picture()).contains("All 11 tasks of the run: 1 lost").contains("The check FAILED.");
    }

    private void history() {
        for (int order = 1; order <= 5; order++) {
            step("order-" + order, 0);
            step("order-" + order, 1);
        }
        run(VICTIM, "order-1-0", KILL - 900_000, Kind.SUCCESS);
        event(VICTIM, Kind.START, KILL - 5_000, "order-1-1", ++token);
        run(VICTIM, "order-2-0", KILL - 800_000, Kind.SUCCESS);
        run(SURVIVOR, "order-3-0", KILL - 700_000, Kind.SUCCESS);
        run(SURVIVOR, "order-3-1", KILL + 200_000, Kind.SUCCESS);
        run(SURVIVOR, "order-4-0", KILL + 300_000, Kind.FAILURE);
        run(SURVIVOR, "order-4-0", KILL + 1_300_000, Kind.SUCCESS);
        run(SURVIVOR, "order-4-1", KILL + 1_320_000, Kind.SUCCESS);
        run(SURVIVOR, "order-1-1", KILL + 1_500_000, Kind.SUCCESS);
        run(SURVIVOR, "order-2-1", KILL + 1_500_000, Kind.SUCCESS);
        run(SURVIVOR, "order-5-0", KILL + 50_000_000, Kind.SUCCESS);
        run(SURVIVOR, "order-5-1", KILL + 50_100_000, Kind.SUCCESS);
    }

    private void step(String key, int step) {
        DemoTask task = new DemoTask(
                key + "-" + step, DemoWorkload.ORDERS, key, step, Duration.ZERO, 1, 0, PlannedEnd.SUCCEEDS);
        published.add(new Published(task, KILL - 1_000_000));
    }

    private void run(String executor, String id, long start, Kind end) {
        event(executor, Kind.START, start, id, ++token);
        event(executor, end, start + 10_000, id, token);
    }

    private void event(String executor, Kind kind, long micros, String id, long withToken) {
        logs.computeIfAbsent(executor, none -> new ArrayList<>()).add(new DemoEvent(kind, micros, id, 1, withToken));
    }

    /** The picture, which must be well-formed. */
    private String picture() throws Exception {
        String picture = TimelinePicture.draw(published, logs, kill, DemoCheck.judge(published, logs, kill, Map.of()));
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8)));
        return picture;
    }
}
