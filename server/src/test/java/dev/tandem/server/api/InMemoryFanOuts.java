package dev.tandem.server.api;

import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.Page;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Fan-outs as a test gives them. Keeps the changes that are asked of it. */
final class InMemoryFanOuts implements FanOutAdministration {

    final Map<String, FanOutRecord> records = new LinkedHashMap<>();
    /** Masters with fan-outs that have names. */
    final Set<String> masters = new HashSet<>();

    final List<String> changes = new ArrayList<>();
    Code code = Code.OK;

    void reset() {
        records.clear();
        masters.clear();
        changes.clear();
        code = Code.OK;
    }

    @Override
    public Page<FanOutRecord> list(boolean ended, int limit, String after) {
        ApiTestBase.PLATFORM.check();
        if (after.equals("?")) {
            throw new IllegalArgumentException("'?' is no cursor");
        }
        List<FanOutRecord> found = records.values().stream()
                .filter(each -> each.finished() == ended)
                .limit(limit)
                .toList();
        return new Page<>(found, found.size() == limit ? "next" : null);
    }

    @Override
    public Optional<FanOutRecord> find(String id) {
        ApiTestBase.PLATFORM.check();
        return Optional.ofNullable(records.get(id));
    }

    @Override
    public boolean hasFanOutOf(String masterHash) {
        ApiTestBase.PLATFORM.check();
        return masters.contains(masterHash);
    }

    @Override
    public Code cancel(String id, String why) {
        changes.add(id + " " + why);
        return records.containsKey(id) ? code : Code.UNKNOWN;
    }

    @Override
    public Code end(String id, String why) {
        return cancel(id, why);
    }

    @Override
    public List<Long> missing(String id, int limit) {
        return List.of(3L, 7L);
    }
}
