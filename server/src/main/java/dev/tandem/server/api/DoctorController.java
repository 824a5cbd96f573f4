package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.doctor.Doctor;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.findings.Finding.Level;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Says whether Redis, the brokers and the queues are as they should be. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class DoctorController {

    /** States in which tasks of a queue do not run, and nobody wanted that. */
    private static final Set<String> BAD = Set.of(
            QueueState.Word.NO_REDIS.text,
            QueueState.Word.NO_BROKER.text,
            QueueState.Word.NO_OWNER.text,
            QueueState.Word.FULL.text);

    private final QueueReader queues;
    private final SharedDeadGroups dead;
    private final Doctor doctor;
    private final InstantSource clock;

    DoctorController(QueueReader queues, SharedDeadGroups dead, Doctor doctor, InstantSource clock) {
        this.queues = queues;
        this.dead = dead;
        this.doctor = doctor;
        this.clock = clock;
    }

    /**
     * One thing that was checked.
     *
     * @param area what was looked at: server, redis, kafka, rabbitmq, clock or queue
     * @param subject which one, such as a queue or an address; absent if there is only one
     * @param check one word for programs: what was checked
     * @param level how bad it is
     * @param text what was found, for people
     * @param remedy what to do, for people; absent if there is nothing
     */
    record Found(
            String area,
            @Nullable String subject,
            String check,
            String level,
            String text,
            @Nullable String remedy) {

        static Found of(Finding finding) {
            return new Found(
                    finding.area(),
                    finding.subject(),
                    finding.check(),
                    Views.lower(finding.level()),
                    finding.text(),
                    finding.remedy());
        }
    }

    /**
     * The findings of an examination.
     *
     * @param now when the answer was made, by this server's clock
     * @param findings everything that was checked, also what is well
     */
    record View(Instant now, List<Found> findings) {}

    @GetMapping("/doctor")
    View examine() {
        List<Finding> findings = new ArrayList<>(doctor.findings());
        List<Views.Queue> all = queues.all();
        all.forEach(queue -> findings.add(of(queue)));
        findings.addAll(halted(all));
        return new View(clock.instant(), findings.stream().map(Found::of).toList());
    }

    /** Returns a warning for each queue that has halted keys. */
    private List<Finding> halted(List<Views.Queue> all) {
        try {
            return dead.halting(all).entrySet().stream()
                    .filter(queue -> queue.getValue().keys() > 0)
                    .map(queue -> halted(
                            queue.getKey(),
                            queue.getValue().keys(),
                            queue.getValue().partial()))
                    .toList();
        } catch (UnavailableException e) {
            return List.of(); // The findings say so already.
        }
    }

    /** @param partial whether not all partitions were read */
    private static Finding halted(String queue, long keys, boolean partial) {
        return Finding.warning(
                "queue",
                queue,
                "halted-keys",
                keys == 1
                        ? (partial ? "At least one" : "A")
                                + " key is halted: its tasks wait until somebody decides about the dead task at its head"
                        : (partial ? "At least " : "") + keys
                                + " keys are halted: their tasks wait until somebody decides about the dead tasks at"
                                + " their heads",
                "See ./tandem dead groups " + queue + ", and ./tandem keys list " + queue + " --why halted");
    }

    static Finding of(Views.Queue queue) {
        List<String> problems = queue.problems() == null
                ? List.of()
                : queue.problems().stream().map(Sentence::english).toList();
        boolean running = queue.state().equals(QueueState.Word.RUNNING.text);
        if (running && problems.isEmpty()) {
            return new Finding(
                    "queue", queue.name(), "queue-state", Level.OK, "Executors work on all of its partitions", null);
        }
        return new Finding(
                "queue",
                queue.name(),
                "queue-state",
                BAD.contains(queue.state()) ? Level.PROBLEM : Level.WARNING,
                "Its state is '" + queue.state() + "'" + (problems.isEmpty() ? "" : ". " + String.join(". ", problems)),
                "See 'What health says' in docs/operations.md");
    }
}
