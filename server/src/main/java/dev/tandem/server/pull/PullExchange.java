package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.executor.pull.TaskLeases.StoppedException;
import dev.tandem.scheduler.Mailboxes;
import dev.tandem.server.pull.PullMessage.Answers;
import dev.tandem.server.pull.PullMessage.GiveBack;
import dev.tandem.server.pull.PullMessage.Handed;
import dev.tandem.server.pull.PullMessage.Orders;
import dev.tandem.server.pull.PullMessage.Take;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases the tasks of all executors on this server. Tasks of its own executor need nobody else; those of others are asked for, and
 * ended, by messages through Redis. Thread-safe.
 */
public final class PullExchange implements PulledTasks, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PullExchange.class);

    /** How long the ends of tasks may take to be recorded. */
    private static final long RECORD_MILLIS = 8_000;

    /** How long another executor has to say something, before it is looked up whether it lives. */
    private static final long SILENCE_MILLIS = 3_000;

    private static final LeaseAnswer GONE = LeaseAnswer.lost("its executor has stopped or died");

    /**
     * The step for the answer of another process.
     *
     * @param answered gets null if there is none
     * @param parts the tasks that have come so far; each once, also if Redis delivers a part again
     * @param returned gets them if there is no answer
     */
    private record Pending(
            Consumer<@Nullable PullMessage> answered,
            Map<LeaseName, LeasedTask> parts,
            Consumer<List<LeasedTask>> returned) {

        Pending(Consumer<@Nullable PullMessage> answered, Consumer<List<LeasedTask>> returned) {
            this(answered, new LinkedHashMap<>(), returned);
        }
    }

    private final String self;
    private final PullMail mail;
    private final Function<String, @Nullable TaskLeases> own;
    private final Function<String, CompletableFuture<Boolean>> isLive;
    private final KnownExecutors known;
    private final long silenceMillis;
    private final PullThread thread = new PullThread();
    private final PullSender sender;
    private final List<AutoCloseable> listening = new ArrayList<>();

    // Used by the thread only.
    private final Map<String, PullSearches> searches = new HashMap<>();
    private final Map<Long, Pending> pending = new HashMap<>();
    private final PullRepeats handedOut = new PullRepeats(PullExchange::millis);
    private final PullRepeats answered = new PullRepeats(PullExchange::millis);
    private long lastId;

    private PullMail.@Nullable Box mailbox;

    /**
     * Makes an exchange, which is not started yet.
     *
     * @param self the id of the executor of this process; a name of its own if it has none
     * @param own returns the leases of a queue in this process; null if it does not run the queue
     * @param isLive says whether an executor has been heard of lately
     */
    public PullExchange(
            String self,
            Mailboxes mailboxes,
            Function<String, @Nullable TaskLeases> own,
            Function<String, CompletableFuture<Boolean>> isLive) {
        this(self, PullMail.of(mailboxes), own, isLive, SILENCE_MILLIS);
    }

    PullExchange(
            String self,
            PullMail mail,
            Function<String, @Nullable TaskLeases> own,
            Function<String, CompletableFuture<Boolean>> isLive,
            long silenceMillis) {
        this.self = self;
        this.silenceMillis = silenceMillis;
        this.mail = mail;
        this.own = own;
        this.isLive = isLive;
        this.known = new KnownExecutors(isLive, PullExchange::millis);
        this.sender = new PullSender(mail, thread);
    }

    /** Begins to take messages, and to say which tasks wait here. @param queues those whose tasks are pulled */
    public void start(Collection<String> queues) {
        for (String queue : queues) {
            PullSearches made =
                    new PullSearches(() -> own.apply(queue), new Others(queue), thread, PullExchange::millis);
            thread.run(() -> searches.put(queue, made));
            TaskLeases mine = own.apply(queue);
            if (mine != null) {
                mine.whenStartable(() -> announce(queue, mine.status().startable()));
            }
            listening.add(mail.listen(queue, text -> heard(queue, text)));
        }
        if (!queues.isEmpty()) {
            mailbox = mail.open(self, message -> thread.run(() -> received(PullCodec.decode(message))));
        }
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private void announce(String queue, int startable) {
        mail.announce(queue, startable + " " + self).exceptionally(failure -> {
            log.debug("Queue {}: failed to say that tasks wait: {}", queue, failure.toString());
            return null;
        });
    }

    private void heard(String queue, String text) {
        String[] parts = text.split(" ", 2);
        if (parts.length == 2 && !parts[1].equals(self) && parts[0].matches("\\d{1,9}")) {
            known.seen(parts[1]);
            thread.run(() -> searches.get(queue).heard(parts[1], Integer.parseInt(parts[0])));
        }
    }

    /** Takes no messages any more, and ends all calls. */
    @Override
    public void close() {
        for (AutoCloseable each : listening) {
            try {
                each.close();
            } catch (Exception e) {
                log.debug("Failed to stop listening: {}", e.toString());
            }
        }
        if (mailbox != null) {
            mailbox.close();
        }
        CompletableFuture<Void> ended = new CompletableFuture<>();
        if (thread.run(() -> {
            searches.forEach((queue, its) -> its.close(new StoppedException(queue)));
            ended.complete(null);
        })) {
            ended.completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
        }
        thread.close();
    }

    // ---- for workers that call this server ----

    @Override
    public CompletableFuture<List<LeasedTask>> lease(String queue, LeaseCall call) {
        CompletableFuture<List<LeasedTask>> result = new CompletableFuture<>();
        if (!thread.run(() -> searches.get(queue).begin(call, result))) {
            result.completeExceptionally(new StoppedException(queue));
        }
        return result;
    }

    @Override
    public CompletableFuture<List<LeaseAnswer>> apply(String caller, String queue, List<LeaseOrder> orders) {
        return OrderParts.apply(
                orders,
                (executor, part) ->
                        executor.equals(self) ? applyHere(queue, part) : applyIfKnown(caller, executor, queue, part));
    }

    private CompletableFuture<List<LeaseAnswer>> applyIfKnown(
            String caller, String executor, String queue, List<LeaseOrder> orders) {
        return known.ask(
                caller,
                executor,
                () -> applyElsewhere(executor, queue, orders),
                why -> all(orders, LeaseAnswer.unknown(why)));
    }

    private CompletableFuture<List<LeaseAnswer>> applyHere(String queue, List<LeaseOrder> orders) {
        TaskLeases mine = own.apply(queue);
        if (mine == null) {
            return CompletableFuture.completedFuture(
                    all(orders, LeaseAnswer.lost("its executor does not run the queue any more")));
        }
        List<CompletableFuture<LeaseAnswer>> answers = orders.stream()
                .map(order -> mine.apply(order.lease(), order.request())
                        .copy()
                        .completeOnTimeout(
                                LeaseAnswer.unknown("Redis has not confirmed it yet"),
                                RECORD_MILLIS,
                                TimeUnit.MILLISECONDS))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    private static List<LeaseAnswer> all(List<LeaseOrder> orders, LeaseAnswer answer) {
        return orders.stream().map(order -> answer).toList();
    }

    private CompletableFuture<List<LeaseAnswer>> applyElsewhere(
            String executor, String queue, List<LeaseOrder> orders) {
        CompletableFuture<List<LeaseAnswer>> result = new CompletableFuture<>();
        boolean sent = thread.run(() -> {
            LeaseAnswer unknown = LeaseAnswer.unknown("the executor " + executor + " does not answer");
            Pending waits = new Pending(
                    message -> {
                        boolean fits =
                                message instanceof Answers its && its.answers().size() == orders.size();
                        result.complete(fits ? ((Answers) message).answers() : all(orders, unknown));
                    },
                    none -> {});
            long id = request(RECORD_MILLIS + silenceMillis, waits);
            Orders message = new Orders(id, self, queue, orders);
            send(executor, message, id);
            thread.runAfter(silenceMillis, () -> lookUp(executor, message, () -> result.complete(all(orders, GONE))));
        });
        if (!sent) {
            result.complete(all(orders, LeaseAnswer.unknown("this server stops")));
        }
        return result;
    }

    /**
     * Does not wait any longer for an executor that is gone. One that was only slow may still carry the orders out, so that they
     * count as lost only if they could be retracted.
     */
    private void lookUp(String executor, Orders orders, Runnable gone) {
        if (!pending.containsKey(orders.id())) {
            return;
        }
        look();
        isLive.apply(executor)
                .thenCompose(live -> live
                        ? CompletableFuture.completedFuture(false)
                        : mail.retract(executor, PullCodec.encode(orders)))
                .thenAccept(retracted -> thread.run(() -> {
                    if (retracted && pending.remove(orders.id()) != null) {
                        gone.run();
                    }
                }));
    }

    /** Looks for messages whose wake-up may have got lost. */
    private void look() {
        if (mailbox != null) {
            mailbox.look();
        }
    }

    // ---- requests to others ----

    /** The other executors of a queue, as its searches ask them. */
    private final class Others implements PullSearches.Others {
        private final String queue;

        Others(String queue) {
            this.queue = queue;
        }

        @Override
        public void take(String executor, LeaseCall call, Consumer<List<LeasedTask>> answered) {
            Pending waits = new Pending(
                    message -> answered.accept(message instanceof Handed handed ? handed.tasks() : List.of()),
                    this::giveBack);
            long id = request(PullSearches.ANSWER_MILLIS, waits);
            send(executor, new Take(id, self, queue, call), id);
        }

        @Override
        public void giveBack(List<LeasedTask> tasks) {
            PullExchange.this.giveBack(queue, tasks);
        }
    }

    private long request(long millis, Pending waits) {
        long id = ++lastId;
        pending.put(id, waits);
        thread.runAfter(millis, () -> answer(id, null));
        return id;
    }

    private void send(String executor, PullMessage message, long id) {
        sender.send(executor, message, () -> answer(id, null));
    }

    private void answer(long id, @Nullable PullMessage message) {
        Pending its = pending.remove(id);
        if (its != null) {
            if (message == null) {
                // The rest of them is given back when it comes.
                its.returned().accept(List.copyOf(its.parts().values()));
            }
            its.answered().accept(message);
        }
    }

    // ---- messages from others ----

    private void received(PullMessage message) {
        if (message instanceof Take take) {
            handOut(take);
        } else if (message instanceof Handed handed) {
            handed(handed);
        } else if (message instanceof GiveBack back) {
            TaskLeases mine = own.apply(back.queue());
            if (mine != null) {
                mine.giveBack(back.leases());
            }
        } else if (message instanceof Orders orders) {
            applyHere(orders.queue(), orders.orders())
                    .thenAccept(answers ->
                            thread.run(() -> sender.send(orders.from(), new Answers(orders.id(), answers), () -> {})));
        } else if (message instanceof Answers answers) {
            answer(answers.id(), answers);
        }
    }

    private void handOut(Take take) {
        if (!handedOut.add(take.from() + " " + take.id())) {
            return;
        }
        TaskLeases mine = own.apply(take.queue());
        if (mine == null) {
            sender.send(take.from(), new Handed(take.id(), take.queue(), true, List.of()), () -> {});
            return;
        }
        mine.lease(take.call()).whenComplete((tasks, failure) -> {
            List<LeasedTask> handed = failure == null ? tasks : List.of();
            if (!thread.run(() -> sendParts(take, mine, handed))) {
                mine.giveBack(names(handed));
            }
        });
    }

    private void sendParts(Take take, TaskLeases mine, List<LeasedTask> tasks) {
        Handed.parts(take, tasks)
                .forEach(part -> sender.send(take.from(), part, () -> mine.giveBack(names(part.tasks()))));
    }

    private void handed(Handed handed) {
        Pending its = pending.get(handed.id());
        if (its == null) {
            // A worker has them, if they are a repeat. Else nobody waited for them any more.
            if (!answered.has(String.valueOf(handed.id()))) {
                giveBack(handed.queue(), handed.tasks());
            }
            return;
        }
        handed.tasks().forEach(task -> its.parts().put(task.lease(), task));
        if (handed.last()) {
            answered.add(String.valueOf(handed.id()));
            List<LeasedTask> all = List.copyOf(its.parts().values());
            answer(handed.id(), new Handed(handed.id(), handed.queue(), true, all));
        }
    }

    private void giveBack(String queue, List<LeasedTask> tasks) {
        Map<String, List<LeaseName>> byExecutor = new LinkedHashMap<>();
        tasks.forEach(task -> byExecutor
                .computeIfAbsent(task.lease().executor(), none -> new ArrayList<>())
                .add(task.lease()));
        byExecutor.forEach((executor, leases) -> sender.send(executor, new GiveBack(queue, leases), () -> {}));
    }

    private static List<LeaseName> names(List<LeasedTask> tasks) {
        return tasks.stream().map(LeasedTask::lease).toList();
    }
}
