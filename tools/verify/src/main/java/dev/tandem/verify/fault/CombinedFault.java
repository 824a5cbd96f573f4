package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** Several faults, each injected a moment after the one before. */
record CombinedFault(List<Fault> faults) implements Fault {

    private static final int MAX_APART_MILLIS = 1_500;

    @Override
    public String name() {
        return faults.stream().map(Fault::name).collect(Collectors.joining("+"));
    }

    @Override
    public String description() {
        return faults.stream().map(Fault::description).collect(Collectors.joining("; and "));
    }

    @Override
    public Set<Requirement> requirements() {
        Set<Requirement> requirements = EnumSet.noneOf(Requirement.class);
        faults.forEach(fault -> requirements.addAll(fault.requirements()));
        return requirements;
    }

    @Override
    public Set<Server> serversTakenDown() {
        Set<Server> serversTakenDown = EnumSet.noneOf(Server.class);
        faults.forEach(fault -> serversTakenDown.addAll(fault.serversTakenDown()));
        return serversTakenDown;
    }

    @Override
    public boolean supports(boolean rabbit) {
        return faults.stream().allMatch(fault -> fault.supports(rabbit));
    }

    @Override
    public int endEventCount() {
        return (int) Math.min(
                Integer.MAX_VALUE,
                faults.stream().mapToLong(Fault::endEventCount).sum());
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (Fault fault : faults) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            fault.inject(context);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        } catch (RuntimeException e) {
                            failure.set(e);
                        }
                    },
                    "verify-" + fault.name());
            threads.add(thread);
            thread.start();
            context.sleep(Duration.ofMillis(context.random().nextInt(MAX_APART_MILLIS)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
