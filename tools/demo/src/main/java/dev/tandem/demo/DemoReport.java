package dev.tandem.demo;

import dev.tandem.kit.Percentiles;
import java.util.List;
import java.util.Locale;

/** Formats the table at the end of the demonstration. */
record DemoReport(DemoVerdict verdict) {

    private static final int EXAMPLES = 3;

    String text() {
        StringBuilder text = new StringBuilder();
        row(text, "tasks, with scheduled ones", verdict.tasks(), "");
        row(text, "succeeded", verdict.succeeded(), "");
        row(text, "dead, as planned", verdict.dead(), "");
        row(
                text,
                "wait behind a dead one",
                verdict.waiting(),
                verdict.notHalted().isEmpty() ? "as planned: ok" : failed(verdict.notHalted()));
        row(text, "failed attempts, retried", verdict.retried(), "");
        violations(text, "lost", verdict.lost());
        boolean explained = verdict.duplicates() == verdict.duplicatesByKill();
        row(
                text,
                "ran twice",
                verdict.duplicates(),
                !explained ? "FAILED" : verdict.duplicates() == 0 ? "ok" : "known: the kill");
        violations(text, "out of order", verdict.outOfOrder());
        violations(text, "two of a key at once", verdict.overlaps());
        violations(text, "fencing token not higher", verdict.tokensBack());
        row(
                text,
                "at once, of a limit of " + Firings.MAX_RUNNING,
                verdict.mostAtOnce(),
                verdict.withinLimit() ? "ok" : "FAILED");
        violations(text, "started before their time", verdict.early());
        Percentiles lateness =
                verdict.lateness().isEmpty() ? new Percentiles(0, 0, 0) : Percentiles.of(verdict.lateness());
        row(
                text,
                "delayed tasks",
                verdict.lateness().size(),
                String.format(
                        Locale.ROOT,
                        "late by p50 %s, p99 %s, at most %s: %s",
                        millis(lateness.p50()),
                        millis(lateness.p99()),
                        millis(verdict.latestMicros()),
                        verdict.inTime() ? "ok" : "FAILED"));
        text.append('\n').append(verdict.passed() ? "  The check passed." : "  The check FAILED.");
        return text.toString();
    }

    private static void violations(StringBuilder text, String what, List<String> found) {
        row(text, what, found.size(), found.isEmpty() ? "ok" : failed(found));
    }

    private static String failed(List<String> found) {
        return "FAILED: " + String.join("; ", found.subList(0, Math.min(EXAMPLES, found.size())));
    }

    private static void row(StringBuilder text, String what, int count, String judgement) {
        text.append(String.format(Locale.ROOT, "  %-26s %6d   %s", what, count, judgement)
                        .stripTrailing())
                .append('\n');
    }

    private static String millis(long micros) {
        return micros < 1_000_000
                ? String.format(Locale.ROOT, "%.1f ms", micros / 1e3)
                : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
    }
}
