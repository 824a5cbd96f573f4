package dev.tandem.scheduler;

import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.StoreAnswer;

/** Turns requests of runs into script calls, and the scripts' replies into answers. */
final class RunRequestCodec {

    private RunRequestCodec() {}

    static ScriptCall encode(RunRequest request) {
        if (request instanceof RunRequest.SaveCheckpoint save) {
            return ScriptCall.of(Script.SAVE_CHECKPOINT)
                    .text(save.position().text())
                    .token(save.token())
                    .bytes(save.checkpoint())
                    .build();
        } else if (request instanceof RunRequest.ReadCheckpoint read) {
            return ScriptCall.of(Script.READ_CHECKPOINT)
                    .text(read.position().text())
                    .token(read.token())
                    .build();
        } else if (request instanceof RunRequest.KeepProgress keep) {
            return keepProgress(keep, 0);
        }
        throw new IllegalArgumentException("Unknown request " + request.getClass());
    }

    /** Encodes the runs from this index on, and no more of them than one script should handle. */
    static ScriptCall keepProgress(RunRequest.KeepProgress keep, int from) {
        ScriptCall.Builder call = ScriptCall.of(Script.WRITE_PROGRESS).number(keep.maxLines());
        int bytes = 0;
        for (int i = from; i < keep.runs().size() && bytes < ScriptCodes.MAX_PROGRESS_BYTES; i++) {
            byte[] encoded = encode(keep.runs().get(i));
            bytes += encoded.length;
            call.bytes(encoded);
        }
        return call.build();
    }

    private static byte[] encode(RunNotes run) {
        MessagePackWriter list = new MessagePackWriter()
                .list(4)
                .text(run.position().text())
                .token(run.token())
                .text(run.progress())
                .list(run.lines().size());
        run.lines().forEach(list::text);
        return list.toByteArray();
    }

    /** Reads the rest of a reply behind its code. */
    static StoreAnswer decode(RunRequest request, ReplyReader in) {
        if (request instanceof RunRequest.KeepProgress) {
            return new StoreAnswer.ProgressKept(in.count());
        }
        Standing standing = ScriptCodes.standing(in.count());
        return new StoreAnswer.Checkpoint(
                standing, request instanceof RunRequest.ReadCheckpoint ? in.maybeBytes() : null);
    }
}
