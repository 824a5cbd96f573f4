package dev.tandem.verify;

import dev.tandem.verify.check.Checker;
import dev.tandem.verify.check.CheckerSettings;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventTail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Trials as their folders have them: what was recorded is all that their judgement rests on. */
final class RecordedTrials {

    /** What the trial itself recorded. */
    static final String OWN = "verify.events";

    private static final String EVENTS = ".events";

    private RecordedTrials() {}

    /**
     * Judges a trial.
     *
     * @param folder of its events
     * @throws IllegalArgumentException saying what is missing, or can't be read
     */
    static Judgement judge(Path folder) {
        List<Event> events = events(folder);
        return judge(events, opened(folder, events));
    }

    /**
     * Judges the trials of a run, or one.
     *
     * @param folder of a run, or of one of its trials
     * @throws IllegalArgumentException saying what is missing, or can't be read
     */
    static VerifyReport report(Path folder) {
        List<TrialResult> results = new ArrayList<>();
        List<String> brokers = new ArrayList<>();
        Event.TrialOpened first = null;
        for (Path trial : trials(folder)) {
            List<Event> events = events(trial);
            Event.TrialOpened opened = opened(trial, events);
            opened.brokers().stream().filter(each -> !brokers.contains(each)).forEach(brokers::add);
            if (first == null) {
                first = opened;
            } else if (first.leaseMillis() != opened.leaseMillis()) {
                throw new IllegalArgumentException(folder + " has trials with leases of " + first.leaseMillis()
                        + " and of " + opened.leaseMillis() + " ms: judge them one by one");
            }
            results.add(new TrialResult(
                    Fault.of(opened.fault()),
                    Workload.of(opened.workload()),
                    opened.seed(),
                    judge(events, opened),
                    null,
                    true,
                    trial));
        }
        if (first == null) {
            throw new IllegalArgumentException(
                    folder + " has no recorded events (*" + EVENTS + "), nor has a folder in it: it"
                            + " must be the folder of a run, as .tandem/verify/<date>, or of one of its trials");
        }
        Duration lease = Duration.ofMillis(first.leaseMillis());
        TrialSettings sizes = new TrialSettings(
                lease,
                Duration.ZERO,
                first.perSecond(),
                first.executors(),
                first.partitions(),
                Duration.ZERO,
                1,
                0,
                Duration.ofMillis(first.lenienceMillis()),
                Duration.ZERO);
        return new VerifyReport(
                first.version(),
                "judged again by " + Verify.version(),
                first.seed(),
                "As recorded in " + folder,
                results.size() + " trials.",
                brokers,
                sizes,
                results);
    }

    private static Judgement judge(List<Event> events, Event.TrialOpened opened) {
        Workload workload = Workload.of(opened.workload());
        return Checker.judge(
                events,
                CheckerSettings.of(workload.isOrdered(), !workload.isRabbit(), Duration.ofMillis(opened.leaseMillis()))
                        .lenient(Duration.ofMillis(opened.lenienceMillis())));
    }

    private static List<Path> trials(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException("There is no folder " + folder);
        }
        if (hasEvents(folder)) {
            return List.of(folder);
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory)
                    .filter(RecordedTrials::hasEvents)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasEvents(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(each -> each.toString().endsWith(EVENTS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Event> events(Path folder) {
        if (!Files.exists(folder.resolve(OWN))) {
            throw new IllegalArgumentException(folder + " lacks " + OWN
                    + ": what was published, what was done to executors and servers, and what broker and store said");
        }
        List<Event> events = EventTail.readAll(folder);
        for (Event event : events) {
            // Every executor's end is recorded, by who made it.
            if (event instanceof Event.ProcessEnded died && !Files.exists(folder.resolve(died.process() + EVENTS))) {
                throw new IllegalArgumentException(folder + " lacks " + died.process() + EVENTS
                        + ": what that executor started and ended. Without it all that it ran would seem lost");
            }
        }
        return events;
    }

    private static Event.TrialOpened opened(Path folder, List<Event> events) {
        return events.stream()
                .filter(Event.TrialOpened.class::isInstance)
                .map(Event.TrialOpened.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(folder.resolve(OWN)
                        + " does not say what trial it is of (Opened): its beginning is cut off, or an earlier version"
                        + " recorded it"));
    }
}
