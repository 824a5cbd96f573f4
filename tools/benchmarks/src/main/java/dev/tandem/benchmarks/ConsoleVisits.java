package dev.tandem.benchmarks;

import dev.tandem.benchmarks.RedisMeter.Cost;
import dev.tandem.benchmarks.ScaleFill.Load;
import dev.tandem.benchmarks.SitePages.SitePage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests each page of the console again and again, and each route of the API that reads, and measures what that costs. */
final class ConsoleVisits {

    /** The end of the name of a page that is far down in a list. */
    static final String FAR_DOWN = ", far down";

    private static final int WARM_UP = 3;
    /** Commands of Redis that take longer are noted. */
    private static final long SLOW_MICROS = 1_000;

    /** How much more a page may cost because numbers and cursors in it are longer, or a search by halves takes a step more. */
    private static final double SLACK = 1.1;

    /** The same for pages whose tasks are in other states, of which some take a command more each. */
    private static final double SLACK_OF_STATES = 1.75;

    private static final int SLACK_COMMANDS = 10;
    private static final int SLACK_BYTES = 200;

    /** A page to visit. @param name its kind @param pages who visits it */
    record Visit(String name, SitePages pages, String path) {
        String get() throws Exception {
            return pages.get(path);
        }
    }

    /** The cost of the requests for one page. @param slowest the slowest command of Redis meanwhile, ms */
    record PageCost(List<Cost> costs, double slowest) {

        /** Returns the time that this share of the requests has taken at most. */
        double millis(double share) {
            List<Double> all = sorted(Cost::millis);
            return all.get((int) Math.min(all.size() - 1L, (long) Math.ceil(share * all.size()) - 1));
        }

        /** Returns the median. Others use this Redis, too. */
        double redisMillis() {
            return sorted(Cost::redisMillis).get(costs.size() / 2);
        }

        long commands() {
            return costs.stream().mapToLong(Cost::commands).min().orElse(0);
        }

        long bytes() {
            return costs.stream().mapToLong(Cost::bytes).min().orElse(0);
        }

        /** Returns whether it is more of Redis than the same page cost when there were fewer tasks. */
        boolean isMoreThan(PageCost before) {
            return isMoreThan(before, SLACK);
        }

        /** Returns whether a page far down in a list is more of Redis than its first page, which may have tasks of other states. */
        boolean isMoreThanFirst(PageCost first) {
            return isMoreThan(first, SLACK_OF_STATES);
        }

        private boolean isMoreThan(PageCost other, double slack) {
            return commands() > other.commands() * slack + SLACK_COMMANDS
                    || bytes() > other.bytes() * slack + SLACK_BYTES;
        }

        private List<Double> sorted(ToDoubleFunction<Cost> value) {
            return costs.stream()
                    .map(cost -> value.applyAsDouble(cost))
                    .sorted()
                    .toList();
        }
    }

    private final ScenarioContext context;
    private final RedisMeter meter;
    private final String queue;
    private final SitePages viewer;
    private final SitePages admin;

    /** @param viewer the token of somebody who may see all queues, and do nothing */
    ConsoleVisits(ScenarioContext context, RedisMeter meter, String queue, String server, String admin, String viewer) {
        this.context = context;
        this.meter = meter;
        this.queue = queue;
        Map<String, List<String>> known = Map.ofEntries(
                entry("id", ScaleFill.scheduledId(), "no-such-id"),
                entry(
                        "q",
                        "no-such-name",
                        ScaleFill.scheduledId(),
                        ScaleFill.longKey(),
                        "type:" + ScaleFill.TYPE + " key:" + ScaleFill.longKey()),
                entry("type", ScaleFill.TYPE, "no-such-type"),
                entry("key", ScaleFill.longKey(), "no-such-key"),
                entry("executor", StoreOwner.EXECUTOR, "no-such-executor"),
                entry("fingerprint", "other"),
                entry("died-after", "2026-01-01T00:00:00Z", "2100-01-01T00:00:00Z"),
                entry("from", "2026-01-01T00:00:00Z"),
                entry("until", "2100-01-01T00:00:00Z"),
                entry("partition", "0"));
        this.viewer = new SitePages(server, viewer, known);
        this.admin = new SitePages(server, admin, known);
    }

    private static Map.Entry<String, List<String>> entry(String field, String... values) {
        return Map.entry(field, List.of(values));
    }

    /** @throws IllegalStateException if the server does not show what was stored */
    void check(Load load, int partitions) throws Exception {
        JsonNode found = json("/api/v1/queues/" + queue);
        JsonNode counts = found.path("counts");
        long keys = load.keys() / partitions * partitions;
        long waiting = waiting(load.keys() / partitions) * partitions + partitions;
        expect(
                "scheduled",
                load.scheduled() / partitions * partitions,
                counts.path("scheduled").asLong());
        expect("blockedKeys", keys + partitions, found.path("blockedKeys").asLong());
        expect("retry", waiting, counts.path("retry").asLong());
        expect(
                "dead",
                load.dead() / partitions * partitions + keys + partitions - waiting,
                counts.path("dead").asLong());
        expect(
                "parked",
                keys + (long) load.lane() * partitions,
                counts.path("parked").asLong());
        JsonNode task = json("/api/v1/queues/" + queue + "/tasks/" + ScaleFill.scheduledId());
        if (!task.path("type").asString().equals(ScaleFill.TYPE)
                || !task.path("state").asString().equals("scheduled")) {
            throw new IllegalStateException("The server shows another task than was stored: " + task);
        }
    }

    /** Returns how many of the blocked keys of a partition wait for an attempt: one in five. */
    private static long waiting(long keys) {
        return (keys + 4) / 5;
    }

    private static void expect(String what, long stored, long shown) {
        if (stored != shown) {
            throw new IllegalStateException(
                    "The server shows " + shown + " as " + what + ", but " + stored + " were stored");
        }
    }

    private JsonNode json(String path) throws Exception {
        return JsonMapper.shared().readTree(admin.get(path));
    }

    /**
     * Requests each page this often, and each route of the API that reads. Returns the costs by the kinds of pages.
     *
     * @param deep how many pages of a list are before the one that counts as far down
     */
    Map<String, PageCost> costs(int requests, int deep) throws Exception {
        List<Visit> all = new ArrayList<>(pages(deep));
        for (String route : routes()) {
            all.add(new Visit(route.replace(queue, "*"), admin, route));
        }
        return costs(all, requests);
    }

    /** Requests pages this often each. Returns the costs by the kinds of pages. */
    Map<String, PageCost> costs(List<Visit> visits, int requests) throws Exception {
        Map<String, PageCost> costs = new LinkedHashMap<>();
        for (Visit visit : visits) {
            for (int i = 0; i < Math.min(WARM_UP, requests); i++) {
                visit.get();
            }
            PageCost cost = cost(visit, requests);
            costs.put(visit.name(), cost);
            context.progress("%s: %.1f ms, of Redis %.1f ms", visit.name(), cost.millis(0.5), cost.redisMillis());
        }
        return costs;
    }

    /** Requests a page this often. */
    PageCost cost(Visit visit, int requests) throws Exception {
        meter.watchSlow(SLOW_MICROS);
        List<Cost> all = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            all.add(meter.cost(visit::get));
        }
        return new PageCost(all, meter.slowest());
    }

    /**
     * Returns the pages of each kind, for a viewer where one may see it.
     *
     * @param deep how many pages of a list are before the one that counts as far down
     * @throws IllegalStateException if none of a route is among them
     */
    List<Visit> pages(int deep) throws Exception {
        Map<String, Visit> visits = new LinkedHashMap<>();
        for (SitePage page : viewer.find(Set.of())) {
            put(visits, page.name(), viewer, page.path());
            String further = viewer.farDown(page.path(), deep);
            if (!further.equals(page.path())) {
                put(visits, page.name() + FAR_DOWN, viewer, further);
            }
        }
        chosen().forEach((name, path) -> put(visits, name, admin, path));
        for (SitePage page : admin.find(Set.copyOf(visits.keySet()))) {
            put(visits, page.name(), admin, page.path());
        }
        requireAll(visits.values().stream().map(Visit::path).toList());
        return List.copyOf(visits.values());
    }

    /** Returns a page of each route, and those of things that cost the most, for an administrator. */
    List<Visit> oneOfEachRoute() throws Exception {
        Map<String, Visit> visits = new LinkedHashMap<>();
        for (SitePage page : admin.findOneOfEachRoute()) {
            put(visits, page.name(), admin, page.path());
        }
        chosen().forEach((name, path) -> put(visits, name, admin, path));
        requireAll(visits.values().stream().map(Visit::path).toList());
        return List.copyOf(visits.values());
    }

    private static void put(Map<String, Visit> visits, String name, SitePages pages, String path) {
        visits.putIfAbsent(name, new Visit(name, pages, path));
    }

    /** Returns pages of things that cost the most, by what they are. Links lead to others of their kind. */
    private Map<String, String> chosen() throws Exception {
        String tasks = "/queues/" + queue + "/tasks";
        String key = "/queues/" + queue + "/keys/" + ScaleFill.longKey();
        JsonNode groups =
                json("/api/v1/queues/" + queue + "/dead-groups?limit=500").path("groups");
        String rarest = groups.path(groups.size() - 1).path("fingerprint").asString();
        // Lists hide what only counted tasks, so no link leads there.
        String operation = json("/api/v1/queues/" + queue + "/operations")
                .path("operations")
                .path(0)
                .path("operation")
                .asString();
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("operations with dry runs", "/operations?dry-runs=true");
        pages.put("an operation", "/queues/" + queue + "/operations/" + operation);
        pages.put("the tasks of a rare error", tasks + "?state=dead&fingerprint=" + rarest);
        pages.put("a task with others around it", tasks + "/" + ScaleFill.scheduledId());
        pages.put("the payload of a task", tasks + "/" + ScaleFill.scheduledId() + "/edit");
        pages.put("the form of a new task", "/queues/" + queue + "/new");
        pages.put("a key with many parked tasks", key);
        pages.put("its timeline", key + "/timeline");
        pages.put("a fan-out of a million subtasks", "/fan-outs/" + ScaleRelations.fanOut());
        return pages;
    }

    private void requireAll(List<String> paths) {
        List<String> missing = new ArrayList<>(ConsoleRoutes.missing(paths));
        if (missing.remove(ConsoleRoutes.ARCHIVED)) {
            context.say("Leaves out %s: there is no archive", ConsoleRoutes.ARCHIVED);
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("This benchmark visits no page of " + String.join(", ", missing)
                    + ": give it something that links lead to in ScaleFill, or an address in ConsoleVisits");
        }
    }

    /** Returns the routes that read, one for each value that a parameter may have. */
    private List<String> routes() throws Exception {
        Map<String, String> names = Map.of("queue", queue, "id", ScaleFill.scheduledId(), "key", ScaleFill.longKey());
        List<String> routes = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path :
                json("/api/v1/openapi.json").path("paths").properties()) {
            JsonNode get = path.getValue().path("get");
            if (get.isMissingNode()
                    || !get.path("responses").path("200").path("content").has("application/json")) {
                continue;
            }
            String route = "/api/v1" + path.getKey();
            List<String> queries = new ArrayList<>();
            for (JsonNode parameter : get.path("parameters")) {
                String name = parameter.path("name").asString();
                if (parameter.path("in").asString().equals("path")) {
                    route = route.replace("{" + name + "}", names.getOrDefault(name, "none"));
                } else {
                    for (JsonNode value : parameter.path("schema").path("enum")) {
                        queries.add(name + "=" + value.asString());
                    }
                    if (names.containsKey(name)) {
                        queries.add(name + "=" + names.get(name));
                    }
                }
            }
            routes.add(route);
            for (String query : queries) {
                routes.add(route + "?" + query);
            }
        }
        return routes;
    }
}
