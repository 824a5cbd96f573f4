package dev.tandem.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** The pages that {@code ./tandem bench console} has to visit. */
class ConsoleRoutesTest {

    private static final String CONSOLE = "dev.tandem.server.console";

    @Test
    void areThoseOfTheServer() throws Exception {
        ClassPathScanningCandidateComponentProvider controllers =
                new ClassPathScanningCandidateComponentProvider(false);
        controllers.addIncludeFilter(new AnnotationTypeFilter(Controller.class));
        Set<String> served = new TreeSet<>();
        for (var found : controllers.findCandidateComponents(CONSOLE)) {
            Class<?> controller = Class.forName(Objects.requireNonNull(found.getBeanClassName()));
            Arrays.stream(controller.getDeclaredMethods())
                    .map(method -> method.getAnnotation(GetMapping.class))
                    .filter(Objects::nonNull)
                    .flatMap(mapping -> Arrays.stream(mapping.value()))
                    .filter(route -> !route.startsWith("/assets/"))
                    .forEach(served::add);
        }

        assertThat(served).contains("/", "/queues/{queue}").containsExactlyInAnyOrderElementsOf(ConsoleRoutes.ALL);
    }

    @Test
    void aRouteIsMissingUnlessAPathBelongsToIt() {
        List<String> paths =
                List.of("/queues/orders", "/queues/orders/tasks?state=dead", "/fan-outs/ab/c", "/search?q=/");

        assertThat(ConsoleRoutes.missing(paths))
                .doesNotContain("/queues/{queue}", "/queues/{queue}/tasks", "/search")
                .contains("/", "/fan-outs/{fanOut}", "/queues/{queue}/tasks/{name}", "/queues/{queue}/new");
    }
}
