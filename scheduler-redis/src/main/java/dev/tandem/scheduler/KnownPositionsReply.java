package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.KnownPositions;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pages of what a message queue's partition knows: {@code list_known_positions.lua} describes them. */
final class KnownPositionsReply implements PagedReply {

    private String runId = "";
    private boolean complete = true;
    private final Map<Position, LiveClaim> claims = new LinkedHashMap<>();
    private final RedeliveryHistoryPages history = new RedeliveryHistoryPages();

    /** Where the next page begins. Section 0: there is none. */
    private int section;

    private byte[] cursor = {};

    KnownPositionsReply(List<Object> firstPage) {
        add(firstPage);
    }

    /** Returns the call for the first page. */
    static ScriptCall firstPage() {
        return page(1, new byte[] {'0'});
    }

    private static ScriptCall page(int section, byte[] cursor) {
        return ScriptCall.of(Script.LIST_KNOWN_POSITIONS)
                .number(section)
                .bytes(cursor)
                .build();
    }

    @Override
    public @Nullable ScriptCall nextPage() {
        return section == 0 ? null : page(section, cursor);
    }

    @Override
    public boolean add(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        int code = in.count();
        if (code != ScriptCodes.REPLY_OK) {
            throw ScriptCodes.unknown("reply code", code);
        }
        runId = in.text();
        complete &= in.flag();
        ReplyReader page = in.list();
        ReplyReader live = page.list();
        while (live.hasMore()) {
            LiveClaim claim = new LiveClaim(live.position(), live.flag(), live.number());
            claims.put(claim.position(), claim);
        }
        history.addLapsed(page.list());
        history.addAwaiting(page.list());
        history.addPagesInFront(page.list());
        history.addGiven(page.list());
        section = page.count();
        cursor = page.bytes();
        return true;
    }

    @Override
    public KnownPositions answer() {
        claims.keySet().removeAll(history.awaiting());
        history.forgetLapses(claims.keySet());
        return new KnownPositions(runId, complete, new ArrayList<>(claims.values()), history.toHistory());
    }
}
