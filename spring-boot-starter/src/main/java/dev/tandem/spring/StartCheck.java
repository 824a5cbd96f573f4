package dev.tandem.spring;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.OutboxUse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/** Finds the handlers and gateways of an application once all of its beans are there, and stops the start if they do not fit. */
final class StartCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(StartCheck.class);

    private record QueueType(String queue, String type) {}

    private final ConfigurableListableBeanFactory beans;
    private final SettingsEnvironment environment;
    private final JsonMapper json;
    private final Supplier<@Nullable ApplicationOutbox> outbox;
    private @Nullable Wiring wiring;

    /** @param outbox gives null where the application cannot have an outbox */
    StartCheck(
            ConfigurableListableBeanFactory beans,
            SettingsEnvironment environment,
            JsonMapper json,
            Supplier<@Nullable ApplicationOutbox> outbox) {
        this.beans = beans;
        this.environment = environment;
        this.json = json;
        this.outbox = outbox;
    }

    /** Returns what was found. Called after all singletons have been created. */
    Wiring wiring() {
        if (wiring == null) {
            throw new IllegalStateException("The beans of the application are still being created");
        }
        return wiring;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> problems = new ArrayList<>();
        List<HandlerMethod> handlers = new HandlerMethods(beans, json, problems).find();
        checkUnique(handlers, problems);
        refuseIfAny(problems);
        List<GatewayMethod> gateways = gateways();
        Map<String, Set<String>> types = Wiring.types(handlers);
        // Without the handlers first: of a queue that is missing, the method says more than its setting.
        TandemSettings queues = SettingsLoader.loadForProgram(environment.get(), Map.of());
        handlers.forEach(each -> requireQueue(each.name(), each.queue(), queues, problems));
        gateways.forEach(each -> check(each, queues, types, problems));
        checkSchedules(handlers, queues, problems);
        refuseIfAny(problems);
        TandemSettings settings = SettingsLoader.loadForProgram(environment.get(), types);
        PayloadCheck.differences(handlers, gateways).forEach(log::warn);
        Wiring found = new Wiring(settings, handlers);
        wiring = found;
        report(found, gateways).forEach(log::info);
        checkOutbox(settings);
    }

    private void checkOutbox(TandemSettings settings) {
        ApplicationOutbox possible = outbox.get();
        if (possible != null && possible.isUsed()) {
            log.info(
                    "Tasks are submitted by the outbox in the data source {}, {}",
                    possible.databaseName(),
                    possible.isRelayed() ? "and published from there" : "and published by other processes");
        } else if (possible != null && !possible.databasesWithout().isEmpty()) {
            log.warn(
                    "Tasks are sent after the commit and may be lost if this process dies then: there is no table"
                            + " tandem_outbox in {}. tandem.outbox.enabled says whether that is meant: with 'true' the"
                            + " application does not start without the table, with 'false' this is not said again",
                    String.join(", ", possible.databasesWithout()));
        } else if (possible == null
                && settings.outbox().enabled() == OutboxUse.TRUE
                && !ClassUtils.isPresent(
                        "org.springframework.jdbc.datasource.DataSourceUtils", beans.getBeanClassLoader())) {
            throw StartException.ofSurroundings(
                    "tandem.outbox.enabled is 'true', but the application cannot use a database:"
                            + " add spring-boot-starter-jdbc or spring-boot-starter-data-jpa, or set it to false");
        }
    }

    private static void refuseIfAny(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new StartException(problems.stream().sorted().toList());
        }
    }

    private static void checkUnique(List<HandlerMethod> handlers, List<String> problems) {
        Map<QueueType, HandlerMethod> claimed = new HashMap<>();
        for (HandlerMethod each : handlers) {
            for (String type : each.types()) {
                HandlerMethod other = claimed.putIfAbsent(new QueueType(each.queue(), type), each);
                if (other != null) {
                    problems.add(each.name() + ": the type '" + type + "' of queue '" + each.queue()
                            + "' has a handler already, " + other.name() + ": give one of them another type, or remove"
                            + " it");
                }
            }
        }
    }

    private static void checkSchedules(List<HandlerMethod> handlers, TandemSettings settings, List<String> problems) {
        Map<String, String> names = new HashMap<>();
        settings.schedules().keySet().forEach(id -> names.put(id, "tandem.schedules." + id));
        for (HandlerMethod each : handlers) {
            RecurringMethod schedule = each.recurring();
            String other = schedule == null ? null : names.putIfAbsent(schedule.id(), each.name());
            if (schedule != null && other != null) {
                problems.add(each.name() + ": the schedule '" + schedule.id() + "' is there already, by " + other
                        + ": give one of them another id, or remove it");
            }
        }
    }

    private List<GatewayMethod> gateways() {
        List<GatewayMethod> methods = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(GatewayFactoryBean.class)) {
            GatewayFactoryBean gateway = beans.getBean(
                    BeanFactoryUtils.isFactoryDereference(name) ? name : "&" + name, GatewayFactoryBean.class);
            methods.addAll(gateway.methods());
        }
        return methods;
    }

    private static @Nullable QueueSettings requireQueue(
            String method, String name, TandemSettings settings, List<String> problems) {
        QueueSettings queue = settings.queues().get(name);
        if (queue == null) {
            problems.add(method + ": the settings have no queue '" + name + "': set tandem.queues." + name
                    + ".source to kafka or rabbit"
                    + (settings.queues().isEmpty()
                            ? ""
                            : ", or name one of "
                                    + String.join(", ", settings.queues().keySet())));
        }
        return queue;
    }

    private static void check(
            GatewayMethod method, TandemSettings settings, Map<String, Set<String>> types, List<String> problems) {
        QueueSettings queue = requireQueue(method.name(), method.queue(), settings, problems);
        if (queue == null) {
            return;
        }
        if (method.key() >= 0 && !queue.ordered()) {
            problems.add(method.name() + ": it has a @Key, but the queue '" + method.queue()
                    + "' has no order (ordering: none): leave the key out, or set tandem.queues." + method.queue()
                    + ".ordering to key");
        }
        // A process that leaves the queue to others cannot know what they have.
        Set<String> known = types.get(method.queue());
        if (settings.executor().enabled() && known != null && !runs(method.type(), queue, known)) {
            problems.add(method.name() + ": no handler of this application runs the type '" + method.type()
                    + "' of queue '" + method.queue() + "', which has handlers for "
                    + String.join(", ", new TreeSet<>(known)) + ": add a method with @TaskHandler(queue = \""
                    + method.queue() + "\", type = \"" + method.type() + "\"), or correct the type");
        }
    }

    private static boolean runs(String type, QueueSettings queue, Set<String> known) {
        return known.contains(type)
                || queue.types().contains(type)
                || queue.types().contains("*");
    }

    /** Returns the lines of the log that say what was found. */
    static List<String> report(Wiring wiring, List<GatewayMethod> gateways) {
        List<String> lines = new ArrayList<>();
        boolean runs = wiring.settings().executor().enabled();
        for (HandlerMethod each : wiring.handlers()) {
            lines.add("Queue " + each.queue() + ": " + String.join(", ", each.types())
                    + (runs ? " is run by " : " would be run by ") + each.name());
        }
        for (RecurringMethod each : wiring.schedules()) {
            lines.add("Schedule " + each.id() + ": submits tasks of the type "
                    + each.settings().get("type"));
        }
        gateways.stream()
                .collect(Collectors.groupingBy(
                        GatewayMethod::queue,
                        TreeMap::new,
                        Collectors.mapping(GatewayMethod::type, Collectors.toCollection(TreeSet::new))))
                .forEach((queue, types) ->
                        lines.add("Queue " + queue + ": gateways submit " + String.join(", ", types)));
        addUnordered(wiring.settings(), gateways, lines);
        if (wiring.handlers().isEmpty()) {
            lines.add("This application runs no tasks: it has no method with @TaskHandler");
        } else if (!runs) {
            lines.add("This application runs no tasks, because tandem.executor.enabled is 'false'");
        }
        return lines;
    }

    /** Lists gateway methods without a key in ordered queues. Such tasks are allowed, so the start goes on. */
    private static void addUnordered(TandemSettings settings, List<GatewayMethod> gateways, List<String> lines) {
        for (GatewayMethod each : gateways) {
            QueueSettings queue = settings.queues().get(each.queue());
            if (each.key() < 0 && queue != null && queue.ordered()) {
                lines.add("Queue " + each.queue() + ": tasks of " + each.name()
                        + " have no order, because it has no parameter with @Key");
            }
        }
    }
}
