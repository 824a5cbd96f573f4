package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.CheckpointRead;
import dev.tandem.verify.record.Event.CheckpointSaved;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What checkpoints promise: a run gets the last one that an earlier run has saved, or one whose saving was under way. */
final class CheckpointCheck {

    private final History history;
    private final Findings findings;
    private final Map<String, List<CheckpointSaved>> saved = new HashMap<>();

    private CheckpointCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    static void check(History history, Findings findings) {
        CheckpointCheck check = new CheckpointCheck(history, findings);
        for (CheckpointSaved each : history.checkpointsSaved) {
            check.saved.computeIfAbsent(each.id(), none -> new ArrayList<>()).add(each);
        }
        history.checkpointReads.forEach(check::checkRead);
    }

    private void checkRead(CheckpointRead read) {
        List<CheckpointSaved> before = saved.getOrDefault(read.id(), List.of()).stream()
                .filter(each -> each.token() < read.token() && each.at() <= read.askedAt())
                .toList();
        long oldest = before.stream().mapToLong(CheckpointSaved::at).min().orElse(read.askedAt());
        if (history.mayHaveLostWrites(oldest, read.at())) {
            return;
        }
        int least = before.stream().mapToInt(CheckpointSaved::value).max().orElse(0);
        // Of each run, one save may have been under way when it was cut off.
        int most = 1
                + saved.getOrDefault(read.id(), List.of()).stream()
                        .filter(each -> each.token() < read.token())
                        .mapToInt(CheckpointSaved::value)
                        .max()
                        .orElse(0);
        if (!before.isEmpty()) {
            findings.checked(CheckerRule.CHECKPOINTS);
        }
        if (read.value() < least) {
            findings.violated(
                    CheckerRule.CHECKPOINTS,
                    read.at(),
                    "A run of " + read.id() + " got the checkpoint " + read.value() + ", but " + least
                            + " was saved before: " + read + ", " + before);
        } else if (read.value() > most) {
            findings.violated(
                    CheckerRule.CHECKPOINTS,
                    read.at(),
                    "A run of " + read.id() + " got the checkpoint " + read.value() + ", which nobody has saved: "
                            + read);
        }
    }
}
