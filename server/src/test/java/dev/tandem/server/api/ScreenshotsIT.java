package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.Chromium;
import dev.tandem.server.InChromium;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.context.ConfigurableApplicationContext;

/** Takes the pictures of the console that are in the documentation: {@code -Dscreenshots=write}. */
@InChromium
@EnabledIfSystemProperty(named = "screenshots", matches = "write")
class ScreenshotsIT {

    private static final int WIDTH = 1280;

    @Test
    void writesThePicturesOfTheDocumentation(Chromium browser) throws IOException {
        try (ConfigurableApplicationContext api = ApiTestBase.run(
                "required", "--tandem.queues.shipping.source=kafka", "--tandem.queues.shipping.handler=noop")) {
            Chromium chromium = browser.at("http://127.0.0.1:" + ApiTestBase.port(api));
            ApiTestBase.forgetAll();
            new ScreenshotContent().put();
            String token = ApiTestBase.TOKENS.named("ann", Role.OPERATOR);
            api.getBean(KnownTokens.class).renew();
            chromium.logIn(token);

            take(chromium, "overview", "/", 500);
            take(chromium, "queue", "/queues/" + ScreenshotContent.QUEUE, 760);
            take(chromium, "tasks", "/queues/" + ScreenshotContent.QUEUE + "/tasks?state=dead", 600);
            take(chromium, "key", "/queues/" + ScreenshotContent.QUEUE + "/keys/" + ScreenshotContent.KEY, 640);
            take(chromium, "task", "/queues/" + ScreenshotContent.QUEUE + "/tasks/%400%2F3%3A41207", 900);
            chromium.prefers("dark");
            take(chromium, "dark", "/queues/" + ScreenshotContent.QUEUE, 760);
            chromium.leave();
        }
    }

    private static void take(Chromium chromium, String name, String path, int height) throws IOException {
        Path file = ScreenshotFilesTest.FOLDER.resolve("console-" + name + ".png");
        chromium.scrollbars(false).size(WIDTH, height).open(path);
        Chromium.await(() -> assertThat(chromium.run("return document.querySelectorAll('[data-chart]').length"))
                .isEqualTo(chromium.run("return document.querySelectorAll('[data-chart] canvas').length")));
        chromium.screenshot(file);
        assertThat(Files.size(file)).as(file.toString()).isLessThanOrEqualTo(ScreenshotFilesTest.MAX_BYTES);
    }
}
