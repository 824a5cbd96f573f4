package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Turns requests into scripts and their arguments, whose order each script's header gives. */
final class Requests {

    /** A script with its arguments. */
    record Call(Script script, List<byte[]> args) {}

    private static final byte[] NOTHING = {};

    private Requests() {}

    /**
     * @param executor the one that the link last acquired for
     * @param now epoch milliseconds, which claims say that they began at
     */
    static Call encode(StoreRequest request, String executor, long now) {
        Args args = new Args();
        if (request instanceof StoreRequest.SettleAndClaim step) {
            return step(args, step, new Claimant(executor.getBytes(StandardCharsets.UTF_8), now));
        } else if (request instanceof StoreRequest.TakeCustody hand) {
            return hand(args, hand);
        } else if (request instanceof StoreRequest.RenewLeases renew) {
            args.header(renew.header(), 0).number(renew.leaseMillis());
            args.add(named(renew.positions(), renew.tokens()));
            return args.call(Script.RENEW);
        } else if (request instanceof StoreRequest.ClaimDue due) {
            args.header(due.header(), 0).number(due.leaseMillis()).number(due.maxClaims());
            args.number(due.maxOffers()).number(due.firstToken()).flag(due.ordered());
            return args.call(Script.DUE);
        } else if (request instanceof StoreRequest.Acquire acquire) {
            return acquire(args, acquire);
        } else if (request instanceof StoreRequest.ExpireLeases patrol) {
            args.header(patrol.header(), 0).number(patrol.limit());
            args.number(patrol.extendMillis()).flag(patrol.ordered());
            return args.call(Script.PATROL);
        } else if (request instanceof StoreRequest.RecordCommit committed) {
            args.header(committed.header(), 0).number(committed.incarnation()).number(committed.committed());
            return args.call(Script.COMMITTED);
        } else if (request instanceof StoreRequest.AbandonPosition gone) {
            args.header(gone.header(), 0).text(gone.position().text()).key(gone.key());
            return args.call(Script.GONE);
        } else if (request instanceof StoreRequest.Release release) {
            return args.header(release.header(), 0).call(Script.RELEASE);
        } else if (request instanceof StoreRequest.KeepClaims keep) {
            args.number(keep.leaseMillis()).add(named(keep.positions(), keep.tokens()));
            return args.call(Script.KEEP);
        } else if (request instanceof StoreRequest.SettleLate late) {
            return late(args, late);
        } else if (request instanceof StoreRequest.ListKnownPositions) {
            return args.call(Script.RECALL);
        } else if (request instanceof StoreRequest.ForwardRedeliveries redeliver) {
            return redeliver(args, redeliver);
        }
        throw new IllegalArgumentException("Unknown request " + request.getClass());
    }

    private static Call acquire(Args args, StoreRequest.Acquire acquire) {
        RequestHeader header = acquire.header();
        args.text(header.writer())
                .number(header.number())
                .text(acquire.executor())
                .number(acquire.leaseMillis());
        args.number(acquire.generation()).text(acquire.sourceId()).number(acquire.committed());
        List<PresentedClaim> presented = acquire.presented().stream()
                .sorted(Comparator.comparingLong(PresentedClaim::token))
                .toList();
        Packer packer = new Packer().list(6);
        positions(packer, presented, PresentedClaim::position);
        packer.list(presented.size());
        presented.forEach(each -> packer.token(each.token()));
        packer.list(presented.size());
        presented.forEach(each -> key(packer, each.key()));
        packer.list(presented.size());
        presented.forEach(each -> packer.number(each.bit()));
        packer.list(presented.size());
        presented.forEach(each -> packer.number(each.outcomeNumber()));
        packer.list(presented.size());
        presented.forEach(each -> packer.token(each.relayedFrom()));
        args.add(packer.done()).number(header.epoch());
        return args.call(Script.ACQUIRE);
    }

    /** Who makes the claims of a step, and when. */
    private record Claimant(byte[] executor, long now) {

        byte[] claim(Claim claim) {
            String key = claim.key();
            return Claims.write(
                    now, claim.token(), executor, key == null ? null : key.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Call step(Args args, StoreRequest.SettleAndClaim step, Claimant claimant) {
        List<Settle> settles = step.settles();
        List<Claim> claims = step.claims();
        long highest = Math.max(highest(settles, Requests::nextToken), highest(claims, Claim::token));
        args.header(step.header(), highest).number(step.leaseMillis());
        args.number(step.incarnation()).number(step.highWater());
        List<byte[]> blobs = new ArrayList<>();
        Packer packer = new Packer().list(12);
        settles(packer, settles, blobs);
        claims(packer, claims, claimant);
        packer.number(hasTwice(settles, Settle::position) || hasTwice(claims, Claim::position) ? 1 : 0);
        relays(packer, settles, claimant);
        bits(packer, claims);
        args.add(packer.done());
        blobs.forEach(args::add);
        return args.call(Script.STEP);
    }

    private static void settles(Packer packer, List<Settle> settles, List<byte[]> blobs) {
        boolean keys = false;
        boolean bits = false;
        boolean next = false;
        int more = 0;
        for (Settle settle : settles) {
            keys |= settle.key() != null;
            bits |= settle.bit() != -1;
            next |= settle.nextToken() > 0;
            more += isPlain(settle.verdict()) ? 0 : 4;
        }
        positions(packer, settles, Settle::position);
        packer.list(settles.size());
        settles.forEach(settle -> packer.token(settle.token()));
        packer.bytes(keys ? keys(settles) : NOTHING);
        packer.list(bits ? settles.size() : 0);
        if (bits) {
            settles.forEach(settle -> packer.number(settle.bit()));
        }
        packer.list(next ? settles.size() : 0);
        if (next) {
            settles.forEach(settle -> {
                if (settle.nextToken() > 0) {
                    packer.token(settle.nextToken());
                } else {
                    packer.no();
                }
            });
        }
        packer.list(more);
        for (int i = 0; i < settles.size(); i++) {
            Verdict verdict = settles.get(i).verdict();
            if (!isPlain(verdict)) {
                packer.number(i + 1).text(letter(verdict)).number(delay(verdict));
                packer.number(blobs.size());
                byte[] blob = blob(verdict);
                blobs.add(blob == null ? NOTHING : blob);
            }
        }
    }

    /** A list in itself: a script seldom needs to look at it. */
    private static byte[] keys(List<Settle> settles) {
        Packer packer = new Packer().list(settles.size());
        settles.forEach(settle -> key(packer, settle.key()));
        return packer.done();
    }

    private static void relays(Packer packer, List<Settle> settles, Claimant claimant) {
        packer.list(3
                * (int) settles.stream().filter(settle -> settle.then() != null).count());
        for (int i = 0; i < settles.size(); i++) {
            Claim then = settles.get(i).then();
            if (then != null) {
                packer.number(i + 1).text(then.position().text());
                packer.bytes(claimant.claim(then));
            }
        }
    }

    private static void claims(Packer packer, List<Claim> claims, Claimant claimant) {
        positions(packer, claims, Claim::position);
        packer.list(claims.size());
        int inStore = 0;
        for (Claim claim : claims) {
            packer.bytes(claimant.claim(claim));
            inStore += claim.inStore() ? 1 : 0;
        }
        packer.list(inStore);
        for (int i = 0; i < claims.size(); i++) {
            if (claims.get(i).inStore()) {
                packer.number(i + 1);
            }
        }
    }

    private static void bits(Packer packer, List<Claim> claims) {
        int asked = 0;
        for (Claim claim : claims) {
            asked += asksForBit(claim) ? 2 : 0;
        }
        packer.list(asked);
        for (int i = 0; i < claims.size(); i++) {
            if (asksForBit(claims.get(i))) {
                packer.number(i + 1).number(claims.get(i).bit());
            }
        }
    }

    private static boolean asksForBit(Claim claim) {
        return claim.bit() >= 0 && !claim.inStore();
    }

    private static long nextToken(Settle settle) {
        Claim then = settle.then();
        return then == null ? settle.nextToken() : Math.max(then.token(), settle.nextToken());
    }

    private static boolean isPlain(Verdict verdict) {
        return verdict instanceof Verdict.Success success && success.sample() == null;
    }

    private static String letter(Verdict verdict) {
        if (verdict instanceof Verdict.Success success) {
            return success.sample() == null ? "K" : "S";
        } else if (verdict instanceof Verdict.Retry) {
            return "R";
        } else if (verdict instanceof Verdict.Dead dead) {
            return switch (dead.deadHead()) {
                case HALT -> "H";
                case SKIP -> "P";
                case DRAIN -> "D";
            };
        }
        return "B";
    }

    private static long delay(Verdict verdict) {
        return verdict instanceof Verdict.Retry retry ? retry.delayMillis() : 0;
    }

    private static byte @Nullable [] blob(Verdict verdict) {
        if (verdict instanceof Verdict.Success success) {
            return success.sample();
        } else if (verdict instanceof Verdict.Retry retry) {
            return retry.envelope();
        } else if (verdict instanceof Verdict.Dead dead) {
            return dead.envelope();
        }
        return null;
    }

    private static Call hand(Args args, StoreRequest.TakeCustody hand) {
        List<HandOver> entries = hand.entries();
        args.header(hand.header(), 0).number(hand.incarnation()).number(hand.highWater());
        args.number(hand.maxParkedPerKey()).number(hand.maxParkedPerPartition());
        Packer packer = new Packer().list(6);
        positions(packer, entries, HandOver::position);
        packer.list(entries.size());
        entries.forEach(entry -> key(packer, entry.key()));
        packer.list(entries.size());
        entries.forEach(entry -> packer.number(entry.bit()));
        packer.list(entries.size());
        entries.forEach(entry -> packer.text(letter(entry.move())));
        packer.list(entries.size());
        entries.forEach(entry -> packer.number(entry.move() instanceof Move.Schedule at ? at.dueAt() : 0));
        packer.list(entries.size());
        List<byte[]> blobs = new ArrayList<>(entries.size());
        for (HandOver entry : entries) {
            byte[] envelope = entry.envelope();
            packer.number(envelope == null ? -1 : blobs.size());
            if (envelope != null) {
                blobs.add(envelope);
            }
        }
        args.add(packer.done());
        blobs.forEach(args::add);
        return args.call(Script.HAND);
    }

    private static String letter(Move move) {
        if (move instanceof Move.Schedule) {
            return "S";
        } else if (move instanceof Move.Park) {
            return "P";
        }
        return move instanceof Move.Adopt ? "A" : "B";
    }

    private static Call late(Args args, StoreRequest.SettleLate late) {
        Settle settle = late.settle();
        byte[] blob = blob(settle.verdict());
        args.number(late.incarnation()).text(Keys.wake(late.partition()));
        args.text(settle.position().text()).token(settle.token()).number(settle.bit());
        args.text(letter(settle.verdict())).number(delay(settle.verdict()));
        args.add(blob == null ? NOTHING : blob).key(settle.key());
        Claim then = settle.then();
        args.text(then == null ? "" : then.position().text()).token(then == null ? 0 : then.token());
        return args.call(Script.LATE);
    }

    private static Call redeliver(Args args, StoreRequest.ForwardRedeliveries redeliver) {
        List<Redelivery> messages = redeliver.messages();
        Packer packer = new Packer();
        positions(packer, messages, Redelivery::position);
        args.text(redeliver.asker()).text(Keys.wake(redeliver.partition())).number(redeliver.afterMillis());
        args.add(packer.done());
        messages.forEach(message -> args.add(message.envelope()));
        return args.call(Script.REDELIVER);
    }

    private static byte[] named(List<Position> positions, long[] tokens) {
        Packer packer = new Packer().list(2);
        positions(packer, positions, position -> position);
        packer.list(tokens.length);
        for (long token : tokens) {
            packer.token(token);
        }
        return packer.done();
    }

    private static <T> void positions(Packer packer, List<T> items, Function<T, Position> position) {
        packer.list(items.size());
        for (T item : items) {
            packer.text(position.apply(item).text());
        }
    }

    private static void key(Packer packer, @Nullable String key) {
        if (key == null) {
            packer.no();
        } else {
            packer.text(key);
        }
    }

    private static <T> boolean hasTwice(List<T> items, Function<T, Position> position) {
        Set<Position> seen = new HashSet<>(items.size() * 2);
        for (T item : items) {
            if (!seen.add(position.apply(item))) {
                return true;
            }
        }
        return false;
    }

    private static <T> long highest(List<T> items, ToLongFunction<T> token) {
        long highest = 0;
        for (T item : items) {
            highest = Math.max(highest, token.applyAsLong(item));
        }
        return highest;
    }

    /** Arguments in order. */
    private static final class Args {
        private final List<byte[]> args = new ArrayList<>();

        Args header(RequestHeader header, long highestToken) {
            return text(header.writer())
                    .number(header.number())
                    .number(header.epoch())
                    .number(highestToken);
        }

        Args add(byte[] bytes) {
            args.add(bytes);
            return this;
        }

        Args text(String text) {
            return add(text.getBytes(StandardCharsets.UTF_8));
        }

        Args number(long number) {
            return text(Long.toString(number));
        }

        Args flag(boolean flag) {
            return text(flag ? "1" : "0");
        }

        Args token(long token) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(8);
            for (int shift = 56; shift >= 0; shift -= 8) {
                out.write((int) (token >>> shift));
            }
            return add(out.toByteArray());
        }

        /** Whether there is a key, and the key. */
        Args key(@Nullable String key) {
            return flag(key != null).text(key == null ? "" : key);
        }

        Call call(Script script) {
            return new Call(script, args);
        }
    }
}
