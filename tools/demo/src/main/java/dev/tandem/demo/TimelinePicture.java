package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoEvent.Kind;
import dev.tandem.demo.TimelineKeys.Row;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Draws some keys of a demonstration around its kill, as SVG: a row for each key, and in it a line for each of the
 * key's tasks, the first one at the bottom. So a key whose order holds climbs from left to right.
 */
final class TimelinePicture {

    private static final long BEFORE_MICROS = 1_250_000;
    private static final long AFTER_MICROS = 3_000_000;

    private static final int WIDTH = 960;
    private static final int LEFT = 190;
    private static final int RIGHT = 925;
    private static final int TOP = 92;
    private static final int LINE = 9;
    private static final int BAR = 7;
    private static final int LEAST_BAR = 4;
    private static final int STEPS = DemoWorkload.STEPS.size();
    private static final int ROW = STEPS * LINE + 14;

    private static final String SURVIVOR = "#2563eb";
    private static final String VICTIM = "#f59e0b";
    private static final String FAILED = "#dc2626";
    private static final String WAITING = "#94a3b8";

    private final Map<String, Published> published = new HashMap<>();
    private final Kill kill;
    private final long from;
    private final long to;
    private final StringBuilder svg = new StringBuilder();

    private TimelinePicture(Collection<Published> all, Kill kill) {
        all.stream()
                .filter(each -> each.task().queue().equals(DemoWorkload.ORDERS))
                .forEach(each -> published.put(each.task().id(), each));
        this.kill = kill;
        this.from = kill.micros() - BEFORE_MICROS;
        this.to = kill.micros() + AFTER_MICROS;
    }

    /** Returns the picture. @param logs by executor, each in the sequence in which it was written */
    static String draw(
            Collection<Published> published, Map<String, List<DemoEvent>> logs, Kill kill, DemoVerdict verdict) {
        TimelinePicture picture = new TimelinePicture(published, kill);
        List<HandlerRun> runs = HandlerRuns.read(picture.published, logs, kill);
        List<Row> rows = new TimelineKeys(picture.from, kill, picture.to).choose(runs);
        String survivors = logs.keySet().stream()
                .filter(executor -> !executor.equals(kill.executor()))
                .collect(Collectors.joining(", "));
        return picture.draw(rows, survivors, verdict);
    }

    private String draw(List<Row> rows, String survivors, DemoVerdict verdict) {
        int bottom = TOP + rows.size() * ROW;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#0f172a\">",
                WIDTH, bottom + 88, WIDTH, bottom + 88);
        add("<title>Some orders of a run of ./tandem demo, around the kill -9 of an executor</title>");
        add("<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#cbd5e1\"/>", WIDTH, bottom + 88);
        text(20, 28, "font-size=\"17\" font-weight=\"600\"", "Order per key, through kill -9");
        text(
                20,
                47,
                "fill=\"#475569\"",
                "Drawn from the events of a run of ./tandem demo. Each row is one order. Its tasks are, from bottom to"
                        + " top: " + String.join(", ", DemoWorkload.STEPS) + ".");
        legend(survivors);
        axis(bottom);
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), TOP + i * ROW);
        }
        verdict(verdict, bottom);
        return svg.append("</svg>\n").toString();
    }

    private void legend(String survivors) {
        int y = 68;
        sample(20, y, SURVIVOR, "runs on " + survivors);
        sample(190, y, VICTIM, "runs on " + kill.executor() + ", which is killed");
        sample(440, y, FAILED, "fails, and is tried again");
        add("<path d=\"M640 %dh22\" stroke=\"%s\"/>", y - 4, WAITING);
        text(668, y, "fill=\"#475569\"", "published, and waits for its turn");
    }

    private void sample(int x, int y, String color, String meaning) {
        add("<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"%d\" fill=\"%s\"/>", x, y - 8, BAR, color);
        text(x + 20, y, "fill=\"#475569\"", meaning);
    }

    private void axis(int bottom) {
        for (int second = -1; second * 1_000_000L <= AFTER_MICROS; second++) {
            double x = x(kill.micros() + second * 1_000_000L);
            boolean atKill = second == 0;
            add(
                    "<path d=\"M%.1f %dV%d\" stroke=\"%s\"%s/>",
                    x,
                    TOP - 8,
                    bottom,
                    atKill ? FAILED : "#e2e8f0",
                    atKill ? " stroke-width=\"1.5\" stroke-dasharray=\"4 3\"" : "");
            text(
                    x,
                    bottom + 16,
                    "text-anchor=\"middle\" fill=\"" + (atKill ? FAILED : "#475569") + "\"",
                    atKill ? "kill -9 " + kill.executor() : String.format(Locale.ROOT, "%+d s", second));
        }
    }

    private void row(Row row, int top) {
        int base = top + STEPS * LINE;
        add("<path d=\"M20 %dH%d\" stroke=\"#e2e8f0\"/>", base + 7, RIGHT);
        text(20, top + 22, "font-weight=\"600\"", row.key());
        text(20, top + 37, "font-size=\"11\" fill=\"#475569\"", row.fate().label);
        row.runs().stream().map(HandlerRun::task).distinct().forEach(task -> waiting(task, row.runs(), base));
        row.runs().forEach(run -> run(run, base - run.task().step() * LINE - BAR));
    }

    /** A line from the time when a task was published to its last start. */
    private void waiting(DemoTask task, List<HandlerRun> ofKey, int base) {
        Published known = published.get(task.id());
        long last = ofKey.stream()
                .filter(run -> run.task().equals(task))
                .mapToLong(HandlerRun::start)
                .max()
                .orElse(from);
        if (known == null || last < from || known.publishedMicros() > to) {
            return;
        }
        double y = base - task.step() * LINE - BAR / 2.0;
        add(
                "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>",
                x(known.publishedMicros()), y, Math.max(x(last), x(known.publishedMicros())), WAITING);
    }

    private void run(HandlerRun run, int y) {
        if (run.start() < from || run.start() > to) {
            return;
        }
        boolean victim = run.executor().equals(kill.executor());
        String color = run.outcome() == Kind.FAILURE ? FAILED : victim ? VICTIM : SURVIVOR;
        double width = Math.max(LEAST_BAR, x(run.end()) - x(run.start()));
        add(
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                x(run.start()), y, width, BAR, color);
        if (victim && run.outcome() == null) {
            double x = x(kill.micros());
            add("<path d=\"M%.1f %dl7 7m0 -7l-7 7\" stroke=\"%s\" stroke-width=\"2\"/>", x - 3.5, y, FAILED);
        }
    }

    private void verdict(DemoVerdict verdict, int bottom) {
        String all = String.format(
                Locale.ROOT,
                "All %,d tasks of the run: %d lost, %d out of order, %d beside another task of their order,"
                        + " %d ran twice%s.",
                verdict.tasks(),
                verdict.lost().size(),
                verdict.outOfOrder().size(),
                verdict.overlaps().size(),
                verdict.duplicates(),
                verdict.duplicates() > 0 && verdict.duplicates() == verdict.duplicatesByKill()
                        ? " (not recorded before the kill)"
                        : "");
        text(20, bottom + 48, "", all);
        text(
                20,
                bottom + 69,
                "font-weight=\"600\" fill=\"" + (verdict.passed() ? "#15803d" : FAILED) + "\"",
                verdict.passed() ? "The check passed." : "The check FAILED.");
    }

    /** The place of a time, within the picture's bounds. */
    private double x(long micros) {
        double share = (double) (Math.min(Math.max(micros, from), to) - from) / (to - from);
        return LEFT + share * (RIGHT - LEFT);
    }

    private void text(double x, double y, String attributes, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        add("<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>", x, y, attributes, escaped);
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
