package dev.tandem.server;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.DocumentedBlocks.Block;
import dev.tandem.testkit.DocumentedCalls;
import dev.tandem.testkit.DocumentedCalls.Call;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.Yaml;

/** The queues that a person has who follows a page of the documentation: those of the {@code ./tandem up} that it tells of. */
public final class DocumentedQueues {

    /** The queue on Kafka of a plain {@code ./tandem up}. */
    public static final String SAMPLE = "demo-orders";

    private static final List<String> SAMPLES = List.of(SAMPLE, "demo-mail");

    private static final Map<String, List<Call>> UPS =
            DocumentedCalls.of("up").filter(DocumentedQueues::isWhole).collect(Collectors.groupingBy(Call::page));

    private DocumentedQueues() {}

    /** Returns the queues of a page. @param page its path from the root of the project */
    public static Set<String> of(String page) {
        List<Call> ups = UPS.getOrDefault(page, List.of());
        Set<String> queues = new TreeSet<>();
        if (ups.isEmpty()) {
            queues.addAll(SAMPLES);
        }
        for (Call up : ups) {
            List<String> words = up.words();
            if (words.contains("--config")) {
                queues.addAll(inSettings(page));
            } else if (!words.contains("--queue")) {
                queues.addAll(SAMPLES);
            }
            for (int i = 1; i < words.size(); i++) {
                if (words.get(i - 1).equals("--queue")) {
                    queues.add(words.get(i).replaceFirst("^.*:", ""));
                }
            }
        }
        return queues;
    }

    private static boolean isWhole(Call call) {
        return call.words().stream().noneMatch(DocumentedQueues::isPlaceholder);
    }

    private static Set<String> inSettings(String page) {
        Set<String> queues = new TreeSet<>();
        for (Block block : DocumentedBlocks.in(DocumentedBlocks.root().resolve(page))) {
            if (block.language().equals("yaml")
                    && new Yaml().load(block.text()) instanceof Map<?, ?> settings
                    && settings.get("tandem") instanceof Map<?, ?> tandem
                    && tandem.get("queues") instanceof Map<?, ?> its) {
                its.keySet().forEach(name -> queues.add(name.toString()));
            }
        }
        return queues;
    }

    /** Returns whether a word stands for one that readers put in its place: it is in capitals. */
    public static boolean isPlaceholder(String word) {
        return word.matches("[A-Z]+(-[A-Z]+)*");
    }
}
