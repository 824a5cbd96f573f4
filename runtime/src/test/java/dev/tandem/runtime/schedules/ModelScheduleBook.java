package dev.tandem.runtime.schedules;

import dev.tandem.task.schedule.ScheduleBook;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A model of the scripts of schedules, in plain Java. {@code docs/store-protocol.md} is the specification of both. */
class ModelScheduleBook implements ScheduleBook {

    private static final class Row {
        String definition = "";
        long since;
        String version = "";
        String timing = "";
        long fired = NONE;

        @Nullable
        Claim claim;

        long deadline;
        String holder = "";
        long paused = NONE;
        long asked = NONE;
        long seen;
        long open = NONE;
        long firings;
        long missed;
        long skipped;
        boolean created;
        String payload = "";
    }

    /** A schedule that was deleted. */
    private record Gone(Row row, long at) {}

    private final Map<String, Row> rows = new TreeMap<>();
    private final Map<String, Gone> deleted = new TreeMap<>();

    @Override
    public CompletionStage<Long> now() {
        throw new UnsupportedOperationException("The model has no clock");
    }

    @Override
    public CompletionStage<List<Known>> announce(long now, long since, List<Announced> schedules) {
        List<Known> all = new ArrayList<>();
        for (Announced each : schedules) {
            Standing standing = announce(now, since, each);
            Row row = rows.getOrDefault(each.id(), new Row());
            all.add(new Known(standing, row.fired, row.paused != NONE, row.asked, row.open));
        }
        return CompletableFuture.completedFuture(all);
    }

    private Standing announce(long now, long since, Announced each) {
        Row row = rows.get(each.id());
        if (each.created()) {
            if (row == null || !row.created || !row.version.equals(each.version())) {
                return Standing.REPLACED;
            }
            row.seen = now;
            return Standing.CURRENT;
        }
        if (row != null && row.created) {
            return Standing.TAKEN;
        }
        if (row == null || !row.version.equals(each.version())) {
            boolean later = row != null
                    && (row.since > since || (row.since == since && row.version.compareTo(each.version()) > 0));
            if (later && now - row.seen < STALE_MILLIS) {
                return Standing.REPLACED;
            }
            if (each.definition() == null) {
                return Standing.UNKNOWN;
            }
            if (row == null) {
                row = new Row();
                rows.put(each.id(), row);
                deleted.remove(each.id());
            }
            if (!row.timing.equals(each.timing())) {
                row.fired = Math.max(now, row.fired);
            }
            row.definition = each.definition();
            row.version = each.version();
            row.timing = each.timing();
            row.since = since;
        }
        row.since = Math.max(row.since, since);
        row.seen = now;
        return Standing.CURRENT;
    }

    @Override
    public CompletionStage<List<Claimed>> claim(long now, String program, List<Claim> claims) {
        return CompletableFuture.completedFuture(
                claims.stream().map(each -> claim(now, program, each)).toList());
    }

    private Claimed claim(long now, String program, Claim claim) {
        Row row = rows.get(claim.id());
        if (row == null) {
            return new Claimed(Verdict.REPLACED, NONE, NONE, NONE);
        }
        Verdict verdict = Verdict.CLAIMED;
        if (!row.version.equals(claim.version())) {
            verdict = Verdict.REPLACED;
        } else if (claim.asked() ? row.asked != claim.instant() : row.fired != claim.fired()) {
            verdict = Verdict.MOVED;
        } else if (!claim.asked() && row.paused != NONE) {
            verdict = Verdict.PAUSED;
        } else if (row.claim != null && row.deadline > now && !row.holder.equals(program)) {
            return new Claimed(Verdict.BUSY, row.fired, row.deadline, row.open);
        } else {
            row.claim = claim;
            row.deadline = now + CLAIM_MILLIS;
            row.holder = program;
        }
        return new Claimed(verdict, row.fired, NONE, row.open);
    }

    @Override
    public CompletionStage<Void> mark(long now, String program, List<Mark> marks) {
        for (Mark each : marks) {
            Row row = rows.get(each.id());
            if (row != null) {
                mark(row, each);
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    private static void mark(Row row, Mark mark) {
        boolean isNew = mark.asked() ? row.asked == mark.instant() : row.fired < mark.instant();
        if (isNew && mark.asked()) {
            row.asked = NONE;
        } else if (isNew) {
            row.fired = mark.instant();
        }
        if (row.claim != null && row.claim.instant() == mark.instant()) {
            row.claim = null;
        }
        if (isNew) {
            row.firings += mark.fired() ? 1 : 0;
            row.open = mark.fired() && mark.open() ? mark.instant() : row.open;
            row.missed += mark.missed();
            row.skipped += mark.skipped() ? 1 : 0;
        }
    }

    @Override
    public CompletionStage<Void> ended(long now, String id, long instant) {
        Row row = rows.get(id);
        if (row != null && row.open == instant) {
            row.open = NONE;
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public AutoCloseable watch(Runnable changed) {
        return () -> {};
    }

    @Override
    public CompletionStage<List<Entry>> list() {
        List<Entry> all = new ArrayList<>();
        rows.forEach((id, row) -> all.add(new Entry(
                id,
                row.definition,
                row.seen,
                row.fired,
                row.paused,
                row.asked,
                row.open,
                row.firings,
                row.missed,
                row.skipped,
                row.created)));
        return CompletableFuture.completedFuture(all);
    }

    @Override
    public CompletionStage<Optional<Entry>> find(String id) {
        return list().thenApply(
                        all -> all.stream().filter(each -> each.id().equals(id)).findFirst());
    }

    @Override
    public CompletionStage<Created> created(Created known) {
        Map<String, Definition> all = new TreeMap<>();
        rows.forEach((id, row) -> {
            if (row.created) {
                all.put(id, new Definition(id, row.version, row.timing, row.definition, row.payload));
            }
        });
        return CompletableFuture.completedFuture(all.equals(known.schedules()) ? known : new Created(Map.of(), all));
    }

    @Override
    public CompletionStage<Result> define(long now, Definition definition, String expected) {
        return CompletableFuture.completedFuture(defined(now, definition, expected));
    }

    private Result defined(long now, Definition definition, String expected) {
        Row row = rows.get(definition.id());
        if (row != null && !row.created) {
            return now - row.seen < STALE_MILLIS ? Result.CURRENT : Result.STALE;
        }
        if (!expected.equals(ANY_VERSION) && !expected.equals(row == null ? NO_VERSION : row.version)) {
            return Result.DIFFERS;
        }
        if (row == null) {
            row = new Row();
            row.created = true;
            row.seen = now;
            rows.put(definition.id(), row);
            deleted.remove(definition.id());
        }
        if (!row.timing.equals(definition.timing())) {
            row.fired = Math.max(now, row.fired);
        }
        row.since = now;
        row.version = definition.version();
        row.timing = definition.timing();
        row.definition = definition.definition();
        row.payload = definition.payload();
        return Result.DONE;
    }

    @Override
    public CompletionStage<Result> change(long now, String id, Change change) {
        return CompletableFuture.completedFuture(changed(now, id, change));
    }

    @Override
    public CompletionStage<Optional<Deleted>> deleted(long now, String id) {
        return CompletableFuture.completedFuture(Optional.ofNullable(rows.containsKey(id) ? null : gone(now, id))
                .map(row -> new Deleted(row.created, row.version, row.definition)));
    }

    private @Nullable Row gone(long now, String id) {
        Gone gone = deleted.get(id);
        return gone != null && now - gone.at() < 600_000 ? gone.row() : null;
    }

    @Override
    public CompletionStage<Result> restore(long now, String id, String version) {
        return CompletableFuture.completedFuture(restored(now, id, version));
    }

    private Result restored(long now, String id, String version) {
        Row row = rows.get(id);
        if (row != null) {
            return row.created ? Result.DIFFERS : now - row.seen < STALE_MILLIS ? Result.CURRENT : Result.STALE;
        }
        row = gone(now, id);
        if (row == null) {
            return Result.NOT_FOUND;
        } else if (!row.version.equals(version)) {
            return Result.DIFFERS;
        }
        row.seen = row.created ? now : row.seen;
        row.claim = null;
        rows.put(id, row);
        deleted.remove(id);
        return Result.DONE;
    }

    private Result changed(long now, String id, Change change) {
        Row row = rows.get(id);
        if (row == null) {
            return Result.NOT_FOUND;
        }
        boolean stale = now - row.seen >= STALE_MILLIS;
        switch (change) {
            case PAUSE -> row.paused = row.paused == NONE ? now : row.paused;
            case RESUME -> {
                if (row.paused != NONE) {
                    row.paused = NONE;
                    row.fired = Math.max(now, row.fired);
                }
            }
            case FIRE -> {
                if (stale) {
                    return Result.STALE;
                }
                row.asked = row.asked != NONE ? row.asked : now % 1_000 == 0 ? now + 1 : now;
            }
            case FORGET -> {
                if (!stale && !row.created) {
                    return Result.CURRENT;
                }
                rows.remove(id);
                deleted.put(id, new Gone(row, now));
            }
        }
        return Result.DONE;
    }
}
