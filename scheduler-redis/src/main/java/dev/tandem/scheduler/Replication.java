package dev.tandem.scheduler;

import java.util.Map;

/**
 * What a Redis says about its replication.
 *
 * @param runId names its process
 * @param replicas how many replicas are connected and in step
 */
record Replication(String runId, int replicas) {

    /** @param info the answer to INFO; the run id is empty if it has no section {@code server} */
    static Replication of(String info) {
        return of(RedisPreflight.facts(info));
    }

    static Replication of(Map<String, String> facts) {
        long online = facts.entrySet().stream()
                .filter(fact -> fact.getKey().matches("slave\\d+") && isReplica(fact.getValue()))
                .count();
        return new Replication(facts.getOrDefault("run_id", ""), (int) online);
    }

    /**
     * @param fields such as {@code ip=127.0.0.1,port=6380,state=online,offset=42,lag=0}. A backup program that reads
     *     Redis's data as a replica does has no port
     */
    private static boolean isReplica(String fields) {
        return fields.contains("state=online") && !fields.contains("port=0,");
    }
}
