package dev.tandem.executor;

import dev.tandem.task.StartPolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * Divides the slots of an executor among its queues, by what each needs: those with the highest precedence get all that they want,
 * then the next ones. Queues of one precedence get slots in proportion to their weights, and what one does not need goes to the
 * others. Runs are never interrupted for it, so a queue gets its part as the runs of others end. Each queue says in each turn of
 * its loop what it needs. Thread-safe.
 */
final class SlotShares {

    private final int total;
    private final SharedThreads threads;
    // Guarded by this, with all that members hold.
    private final List<Member> members = new ArrayList<>();

    SlotShares(int total) {
        this.total = total;
        this.threads = new SharedThreads(total);
    }

    /** Returns what bounds the threads at work of all queues. */
    SharedThreads threads() {
        return threads;
    }

    /** A queue. Its loop's thread calls it. */
    final class Member {
        private final int weight;
        private final int precedence;
        private final int most;
        private final Runnable wake;
        private int used;
        private int wanted;
        private int granted;
        private int target;
        private boolean woken;

        private Member(StartPolicy policy, int most, Runnable wake) {
            this.weight = Math.max(1, policy.weight());
            this.precedence = policy.precedence();
            this.most = most;
            this.wake = wake;
        }

        /**
         * Says what the queue needs, and wakes other queues that should take or give back slots.
         *
         * @param nowUsed the slots that it uses
         * @param nowWanted how many more it could use at once
         * @return how many slots it may use. If it uses more, it starts nothing until some runs have ended
         */
        int turn(int nowUsed, int nowWanted) {
            List<Member> toWake;
            int mine;
            synchronized (SlotShares.this) {
                used = nowUsed;
                wanted = nowWanted;
                woken = false;
                divide();
                granted = Math.min(target, Math.max(0, total - heldByOthers(this)));
                mine = granted;
                toWake = toWake(this);
            }
            toWake.forEach(each -> each.wake.run());
            return mine;
        }

        /** Gives all slots back for good, because the queue starts nothing any more. */
        void leave() {
            List<Member> toWake;
            synchronized (SlotShares.this) {
                members.remove(this);
                used = 0;
                granted = 0;
                target = 0;
                divide();
                toWake = toWake(this);
            }
            toWake.forEach(each -> each.wake.run());
        }

        private int held() {
            return Math.max(granted, used);
        }

        private int need() {
            return (int) Math.min(most, (long) used + wanted);
        }
    }

    /**
     * Adds a queue.
     *
     * @param most the slots that it may use at most
     * @param wake called on any thread when it should take a turn; it must not block
     */
    synchronized Member join(StartPolicy policy, int most, Runnable wake) {
        Member member = new Member(policy, most, wake);
        members.add(member);
        return member;
    }

    private int heldByOthers(Member self) {
        int held = 0;
        for (Member each : members) {
            held += each == self ? 0 : each.held();
        }
        return held;
    }

    private List<Member> toWake(Member self) {
        int free = total - heldByOthers(self) - self.held();
        List<Member> chosen = new ArrayList<>();
        for (Member each : members) {
            boolean givesBack = each.granted > Math.max(each.target, each.used);
            boolean takes = free > 0 && each.target > each.granted;
            if (each != self && !each.woken && (givesBack || takes)) {
                each.woken = true;
                chosen.add(each);
            }
        }
        return chosen;
    }

    // ---- the division ----

    private void divide() {
        int left = total;
        for (int level = StartPolicy.MAX_PRECEDENCE; level >= 0; level--) {
            List<Member> equals = new ArrayList<>();
            for (Member each : members) {
                if (each.precedence == level) {
                    each.target = 0;
                    equals.add(each);
                }
            }
            left = divide(left, equals);
        }
    }

    /** Gives slots to queues until they need no more, or none is left. @return what is left */
    private static int divide(int slots, List<Member> queues) {
        int left = slots;
        List<Member> open = new ArrayList<>(queues);
        while (left > 0) {
            open.removeIf(each -> each.target >= each.need());
            long weights = 0;
            for (Member each : open) {
                weights += each.weight;
            }
            if (open.isEmpty()) {
                return left;
            }
            int round = left;
            for (Member each : open) {
                int part = (int) (round * each.weight / weights);
                int taken = Math.min(Math.min(part, each.need() - each.target), left);
                each.target += taken;
                left -= taken;
            }
            if (left == round) {
                // Fewer slots than queues: one goes to whoever has least for its weight.
                Member least = open.get(0);
                for (Member each : open) {
                    if ((long) each.target * least.weight < (long) least.target * each.weight) {
                        least = each;
                    }
                }
                least.target++;
                left--;
            }
        }
        return left;
    }
}
