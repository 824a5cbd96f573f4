package dev.tandem.task.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A model of what a store knows of one limit's permits. The script of Redis is compared with it. */
public final class PermitModel {

    /** For how long an executor has one permit more than others that want more too. */
    static final long TURN_MILLIS = 600;

    private static final class Holder {
        private final String name;
        private int held;
        /** What it held before the request. */
        private int had;

        /** The number of permits that it has asked for in all. */
        private int asked;
        /** As much of that as the limit allows. */
        private int wanted;

        private long until;
        private long number;
        private long since;
        private boolean extra;
        private int share;
        /** 0: its turn goes on, 1: it waits for one, 2: it has had one. */
        private int rank;

        private Holder(String name, long since) {
            this.name = name;
            this.since = since;
        }
    }

    private final Map<String, Holder> holders = new TreeMap<>();
    private final Set<String> told = new TreeSet<>();
    private @Nullable Integer override;

    /** Sets the most permits in place of what the requests say; null: these hold. */
    public void override(@Nullable Integer max) {
        override = max;
    }

    /** Applies a request. @param now by the store's clock, in milliseconds */
    public PermitAnswer apply(PermitRequest request, long now) {
        int max = override == null ? request.max() : override;
        int mostWanted = override == null ? Integer.MAX_VALUE : override;
        told.clear();
        holders.values().removeIf(each -> each.until < now);
        Holder before = holders.get(request.executor());
        if (before != null && request.number() <= before.number) {
            return new PermitAnswer(before.held, before.held, false, max);
        }
        Holder mine = new Holder(request.executor(), before == null ? now : before.since);
        mine.had = before == null ? request.used() : before.held;
        mine.held = before == null ? request.used() : Math.max(request.used(), Math.min(request.kept(), before.held));
        mine.extra = before != null && before.extra;
        mine.asked = Math.max(request.used(), request.wanted());
        mine.wanted = Math.max(request.used(), Math.min(request.wanted(), mostWanted));
        holders.remove(request.executor());
        List<Holder> others = List.copyOf(holders.values());
        others.forEach(each -> {
            each.had = each.held;
            each.wanted = Math.min(each.asked, mostWanted);
        });
        boolean othersWait = others.stream().anyMatch(each -> each.wanted > each.held);
        int level = share(mine, others, max, now);

        int free = max - others.stream().mapToInt(each -> each.held).sum();
        int room = free - mine.held;
        int target = othersWait ? mine.share : mine.wanted;
        if (target > mine.held && room > 0) {
            int more = Math.min(room, target - mine.held);
            mine.held += more;
            room -= more;
        }
        if (mine.extra != mine.held > level) {
            mine.extra = !mine.extra;
            mine.since = now;
        }
        mine.until = now + request.leaseMillis();
        mine.number = request.number();
        if (mine.held > 0 || mine.wanted > 0) {
            holders.put(mine.name, mine);
        }
        for (Holder each : others) {
            boolean gets = room > 0 && each.wanted > each.held && each.held < each.share;
            boolean gives = mine.wanted > mine.held && mine.held < mine.share && each.held > each.share;
            if (gets || gives) {
                told.add(each.name);
            }
        }
        return new PermitAnswer(Math.min(mine.held, Math.max(0, free)), mine.share, othersWait, max);
    }

    private static int share(Holder mine, List<Holder> others, int max, long now) {
        List<Holder> all = new ArrayList<>(others);
        all.add(mine);
        all.sort(Comparator.comparingInt(each -> each.wanted));
        int left = max;
        int level = max;
        int rest = all.size();
        for (Holder each : all) {
            int fair = left / rest;
            if (each.wanted > fair) {
                level = fair;
                break;
            }
            left -= each.wanted;
            rest--;
        }
        List<Holder> turns = new ArrayList<>();
        for (Holder each : all) {
            each.share = Math.min(each.wanted, level);
            if (each.wanted > level) {
                each.rank = each.had <= level ? 1 : now - each.since < TURN_MILLIS ? 0 : 2;
                turns.add(each);
            }
        }
        turns.sort(Comparator.<Holder>comparingInt(each -> each.rank)
                .thenComparingLong(each -> each.since)
                .thenComparing(each -> each.name));
        int more = Math.min(turns.size(), left - level * rest);
        for (int i = 0; i < more; i++) {
            turns.get(i).share = level + 1;
        }
        return level;
    }

    /** Returns the executors that should ask again because of the last request. */
    public Set<String> told() {
        return Set.copyOf(told);
    }

    /** Returns the permits that all executors hold. */
    public int held(long now) {
        return holders.values().stream()
                .filter(each -> each.until >= now)
                .mapToInt(each -> each.held)
                .sum();
    }
}
