package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Orders of workers for tasks of several executors, in parts for each executor that fit into a message. */
final class OrderParts {

    /** The most bytes of a part of more than one order. */
    static final int PART_BYTES = 512 << 10;

    /** The most that can be said of a task: the longest checkpoint that any queue allows. */
    static final int MOST_BYTES = 1 << 20;

    /** About what an order takes besides what is said, with its lease. */
    private static final int ORDER_BYTES = 700;

    private record Part(String executor, List<Integer> places) {}

    private OrderParts() {}

    /** @param applied carries out orders of one executor, and returns an answer to each. @return the answers, in order */
    static CompletableFuture<List<LeaseAnswer>> apply(
            List<LeaseOrder> orders,
            BiFunction<String, List<LeaseOrder>, CompletableFuture<List<LeaseAnswer>>> applied) {
        LeaseAnswer[] answers = new LeaseAnswer[orders.size()];
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (Part part : partsOf(orders, answers)) {
            List<LeaseOrder> its = part.places().stream().map(orders::get).toList();
            all.add(applied.apply(part.executor(), its).thenAccept(known -> {
                for (int i = 0; i < its.size(); i++) {
                    answers[part.places().get(i)] = known.get(i);
                }
            }));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenApply(done -> List.of(answers));
    }

    /** @param answers gets those to what is too long for any executor */
    private static List<Part> partsOf(List<LeaseOrder> orders, LeaseAnswer[] answers) {
        List<Part> parts = new ArrayList<>();
        Map<String, Part> open = new LinkedHashMap<>();
        Map<String, Integer> sizes = new LinkedHashMap<>();
        for (int i = 0; i < orders.size(); i++) {
            int said = bytesOf(orders.get(i).request());
            if (said > MOST_BYTES) {
                answers[i] = LeaseAnswer.invalid(
                        "It has " + said + " bytes, more than any max-checkpoint-bytes may be (" + MOST_BYTES + ")");
                continue;
            }
            String executor = orders.get(i).lease().executor();
            int size = sizes.merge(executor, ORDER_BYTES + said, Integer::sum);
            Part part = open.get(executor);
            if (part == null || size > PART_BYTES) {
                part = new Part(executor, new ArrayList<>());
                open.put(executor, part);
                parts.add(part);
                sizes.put(executor, ORDER_BYTES + said);
            }
            part.places().add(i);
        }
        return parts;
    }

    private static int bytesOf(LeaseRequest request) {
        if (request instanceof LeaseRequest.SaveCheckpoint save) {
            return save.value().length;
        } else if (request instanceof LeaseRequest.Finish finish) {
            return bytes(finish.result());
        } else if (request instanceof LeaseRequest.Fail fail) {
            return bytes(fail.error());
        } else if (request instanceof LeaseRequest.Bury bury) {
            return bytes(bury.reason());
        }
        return request instanceof LeaseRequest.Progress progress ? bytes(progress.text()) + bytes(progress.line()) : 0;
    }

    private static int bytes(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }
}
