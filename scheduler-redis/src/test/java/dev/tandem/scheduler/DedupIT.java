package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupModel;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Bearer;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.testkit.UniqueNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Redis says of deduplication keys, compared with the model at every step. */
class DedupIT extends OperatorTestBase {

    private static final int STEPS = 1_500;

    private static List<Object> call(String queue, List<DedupRequest> requests) {
        int bucket = DedupBuckets.of(queue, requests.get(0).key());
        byte[][] keys = requests.stream()
                .map(each -> RedisKeys.DEFAULTS.dedup(queue, bucket, each.key()))
                .toArray(byte[][]::new);
        return get(store.adminConnection()
                .runScript(
                        Script.DEDUPLICATE,
                        keys,
                        requests.stream().map(DedupCodec::encode).toArray(byte[][]::new)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void answersAsTheModelDoes(long seed) {
        String name = UniqueNames.fresh("dedup");
        DedupModel model = new DedupModel();
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            List<DedupRequest> requests = new ArrayList<>();
            String key = "id-" + random.nextInt(3);
            for (int i = 0; i <= random.nextInt(3); i++) {
                requests.add(request(key, random, seed % 2 == 0));
            }

            List<Object> reply = call(name, requests);

            long now = (Long) reply.get(1);
            List<DedupAnswer> expected =
                    requests.stream().map(each -> model.apply(name, each, now)).toList();
            assertThat(DedupCodec.decode(reply))
                    .as("seed %s step %s: %s", seed, step, requests)
                    .isEqualTo(expected);
        }
    }

    /** Makes a request about one of a few tasks. Times are so short that some pass while the test runs. */
    private static DedupRequest request(String key, Random random, boolean log) {
        int number = random.nextInt(5);
        String partition = Integer.toString(random.nextInt(2));
        boolean named = !log && number > 2;
        Position position = new Position(
                log ? random.nextInt(2) + ":" + number : (named ? "m" : "h") + number % 4 + ":w." + random.nextInt(3));
        String identity = log ? partition + "/" + number : (named ? "m" : "h") + number % 4;
        boolean fresh = !log && random.nextBoolean();
        Bearer task = new Bearer(partition, position, identity, named, fresh, "task-" + position);
        int what = random.nextInt(10);
        long delay = random.nextInt(4) == 0 ? random.nextInt(20) : 0;
        if (what < 4) {
            Ending ending = Ending.values()[random.nextInt(3)];
            return new DedupRequest.Tell(key, task, ending, delay);
        }
        Mode mode = random.nextInt(3) > 0 ? Mode.FIRST : Mode.values()[random.nextInt(3)];
        DedupPolicy policy = new DedupPolicy(
                mode,
                random.nextBoolean() ? 0 : random.nextInt(15),
                random.nextBoolean(),
                random.nextBoolean() ? 0 : random.nextInt(10),
                random.nextBoolean(),
                1 + random.nextInt(20));
        return new DedupRequest.Ask(key, task, what < 7, delay, policy);
    }

    @Test
    void whatIsKnownOfAKeyGoesByItself() {
        String key = "id";
        Bearer task = new Bearer("0", Position.of(0, 1), "0/1", false, false, "one");
        DedupPolicy policy = new DedupPolicy(Mode.FIRST, 0, true, 0, true, 60_000);

        call(queue, List.of(new DedupRequest.Ask(key, task, false, 5_000, policy)));

        byte[] redisKey = RedisKeys.DEFAULTS.dedup(queue, DedupBuckets.of(queue, key), key);
        long ttl = get(store.adminConnection().run(commands -> commands.pttl(redisKey)));
        assertThat(ttl).as("until it counts as lost").isBetween(60_000L, 66_000L);
        call(queue, List.of(new DedupRequest.Tell(key, task, Ending.SUCCEEDED, 0)));
        ttl = get(store.adminConnection().run(commands -> commands.pttl(redisKey)));
        assertThat(ttl).as("ten minutes after the end").isBetween(590_000L, 601_000L);
    }
}
