package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** Several faults, the later ones each a moment after the one before. */
record CombinedFault(List<Fault> faults) implements Fault {

    private static final int MOST_APART_MILLIS = 1_500;

    @Override
    public String name() {
        return faults.stream().map(Fault::name).collect(Collectors.joining("+"));
    }

    @Override
    public String about() {
        return faults.stream().map(Fault::about).collect(Collectors.joining("; and "));
    }

    @Override
    public Set<Requirement> needs() {
        Set<Requirement> needs = EnumSet.noneOf(Requirement.class);
        faults.forEach(fault -> needs.addAll(fault.needs()));
        return needs;
    }

    @Override
    public Set<Server> servers() {
        Set<Server> servers = EnumSet.noneOf(Server.class);
        faults.forEach(fault -> servers.addAll(fault.servers()));
        return servers;
    }

    @Override
    public boolean suits(boolean rabbit) {
        return faults.stream().allMatch(fault -> fault.suits(rabbit));
    }

    @Override
    public int endings() {
        return (int) Math.min(
                Integer.MAX_VALUE, faults.stream().mapToLong(Fault::endings).sum());
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (Fault fault : faults) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            fault.strike(stage);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        } catch (RuntimeException e) {
                            failure.set(e);
                        }
                    },
                    "verify-" + fault.name());
            threads.add(thread);
            thread.start();
            stage.sleep(java.time.Duration.ofMillis(stage.random().nextInt(MOST_APART_MILLIS)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
