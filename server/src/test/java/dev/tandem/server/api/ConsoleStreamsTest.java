package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.ClaimedTask;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Pages that are sent again, in a stream of events, when what they show has changed. */
class ConsoleStreamsTest extends ConsoleTestBase {

    @Test
    void aPageSendsWhatChangesToThoseWhoLookAtIt() throws Exception {
        Browser browser = loggedIn(Role.OPERATOR);
        var request = browser.request("/queues/orders")
                .setHeader("Accept", "text/event-stream")
                .build();
        var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream());
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/event-stream;charset=UTF-8");

        try (InputStream body = answer.body();
                BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            assertThat(event(lines)).containsExactly("retry: 1000");
            List<String> first = event(lines);
            assertThat(first).first().isEqualTo("event: content");
            assertThat(first).anyMatch(line -> line.startsWith("data: ") && line.contains("orders/pause"));
            assertThat(first).noneMatch(line -> line.contains("<html"));

            ApiTestBase.PLATFORM.paused = true;
            assertThat(event(lines)).anyMatch(line -> line.contains("orders/resume"));
        }
    }

    /** Each rendering says another time, so that callers with one time share a rendering. */
    @Test
    void callersWithTheSameRightsShareWhatIsRendered() throws Exception {
        ApiTestBase.claim("orders", "1:17", "host-1", 1);
        ClaimedTask one = ApiTestBase.PLATFORM.claimed.get("orders").get(0);
        AtomicLong renderings = new AtomicLong();
        ApiTestBase.PLATFORM.claimed.put("orders", new AbstractList<>() {
            @Override
            public ClaimedTask get(int index) {
                return new ClaimedTask(one.task(), Instant.ofEpochSecond(renderings.incrementAndGet()));
            }

            @Override
            public int size() {
                return 1;
            }
        });

        try (BufferedReader first = running(loggedIn(Role.VIEWER));
                BufferedReader second = running(loggedIn(Role.VIEWER));
                BufferedReader operator = running(loggedIn(Role.OPERATOR))) {
            List<String> seen = List.of(claimEnd(second), claimEnd(second));
            List<String> others = List.of(claimEnd(operator), claimEnd(operator));
            List<String> all = new ArrayList<>();
            while (all.size() < 20 && !all.containsAll(seen)) {
                all.add(claimEnd(first));
            }
            assertThat(all).containsAll(seen).doesNotContainAnyElementsOf(others);
        }
    }

    private static BufferedReader running(Browser browser) throws Exception {
        var request = browser.request("/running")
                .setHeader("Accept", "text/event-stream")
                .build();
        InputStream body = HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofInputStream())
                .body();
        return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    }

    /** Returns when the claim of the next content ends. */
    private static String claimEnd(BufferedReader lines) throws IOException {
        String text = "";
        while (!text.contains("datetime=\"1970-")) {
            text = String.join("\n", event(lines));
        }
        return text.replaceAll("(?s).*datetime=\"(1970-[^\"]+)\".*", "$1");
    }

    private static List<String> event(BufferedReader lines) throws IOException {
        List<String> event = new ArrayList<>();
        for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
            event.add(line);
        }
        return event;
    }
}
