package dev.tandem.scheduler;

import dev.tandem.task.store.RunRequest.KeepProgress;
import dev.tandem.task.store.StoreAnswer;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the progress of many runs, one short script after the other, so that Redis serves others in between. A script leaves
 * runs for the next one when it has read and written enough bytes. Used once.
 */
final class ProgressPieces {

    private final AdminConnection connection;
    private final KeepProgress request;
    private int seen;
    private int kept;

    ProgressPieces(AdminConnection connection, KeepProgress request) {
        this.connection = connection;
        this.request = request;
    }

    CompletableFuture<StoreAnswer> write() {
        ScriptCall call = RunRequestCodec.keepProgress(request, seen);
        return connection
                .runScript(call.script(), request.partition(), call.args().toArray(byte[][]::new))
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    in.count(); // the code: it is always REPLY_OK
                    kept += in.count();
                    seen += in.count();
                    return seen < request.runs().size()
                            ? write()
                            : CompletableFuture.completedFuture(new StoreAnswer.ProgressKept(kept));
                });
    }
}
