package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.openqa.selenium.By;
import org.openqa.selenium.NotFoundException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A headless Chromium with one page. All test classes of a JVM use the same one, in turn: it takes longer to start than most of them
 * to run. Such a class has the annotation {@link InChromium}.
 */
public final class Chromium implements AutoCloseable {

    private static final Path BROWSER = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    private static final String AXE = axe();

    private final ChromeDriver driver;
    private String url = "";

    /** Whether this machine has the browser. In CI it must have. */
    public static boolean isInstalled() {
        return Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER) || "true".equals(System.getenv("CI"));
    }

    Chromium() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSER.toFile());
        options.setCapability("goog:loggingPrefs", logs);
        // The first two are for a root user in a container. The others keep the browser off the network.
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-extensions",
                "--disable-features=Translate,OptimizationHints,MediaRouter",
                "--lang=en",
                "--window-size=1400,900");
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .usingAnyFreePort()
                        .build(),
                options);
    }

    /** Goes to another server, and forgets who was logged in, what it complained of, and how large it was. */
    public Chromium at(String server) {
        url = server;
        leave();
        driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
        forgetComplaints();
        return scrollbars(true).prefers("light").size(1400, 900);
    }

    /** Shows scroll bars, or hides them, as phones do. */
    public Chromium scrollbars(boolean shown) {
        driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", !shown));
        return this;
    }

    public Chromium open(String path) {
        driver.get(url + path);
        return this;
    }

    /** Leaves the server: nothing asks it for anything any more. */
    public void leave() {
        driver.get("about:blank");
    }

    /** Saves what it downloads in a folder. */
    public Chromium downloadsTo(Path folder) {
        driver.executeCdpCommand(
                "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", folder.toString()));
        return this;
    }

    /** Returns the address of the page, without the server. */
    public String path() {
        return driver.getCurrentUrl().substring(url.length());
    }

    /** Logs in with a token, as people do. */
    public Chromium logIn(String token) {
        open("/login");
        find("#token").sendKeys(token);
        find("main form button").click();
        await(() -> assertThat(path()).doesNotContain("/login"));
        return this;
    }

    public WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    public List<String> texts(String css) {
        return driver.findElements(By.cssSelector(css)).stream()
                .map(WebElement::getText)
                .toList();
    }

    public boolean has(String css) {
        return !driver.findElements(By.cssSelector(css)).isEmpty();
    }

    /** Clicks on an element when it is there. A live page may replace it in between. */
    public void click(String css) {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(NotFoundException.class)
                .ignoreException(StaleElementReferenceException.class)
                .untilAsserted(() -> find(css).click());
    }

    /** Clicks on a button in the content of the page. @param text what is written on it */
    public void clickButton(String text) {
        driver.findElement(By.xpath("//main//button[normalize-space()='" + text + "']"))
                .click();
    }

    /** Clicks on a button in a row of a table. @param name what is written in one of its cells */
    public void clickButton(String name, String text) {
        driver.findElement(By.xpath("//tr[.//*[text()='" + name + "']]//button[normalize-space()='" + text + "']"))
                .click();
    }

    /** Waits until it is asked whether something is meant, and says yes. Returns the question. */
    public String confirm() {
        await(() -> assertThat(find("#confirm-text").getText()).isNotEmpty());
        String question = find("#confirm-text").getText();
        click("#confirm-yes");
        return question;
    }

    /** Waits until the page says something of an action. */
    public void awaitToast(String text) {
        await(() -> assertThat(texts(".toast span"))
                .anySatisfy(said -> assertThat(said).contains(text)));
    }

    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Waits until something holds of the page. Elements may be replaced meanwhile. */
    public static void await(ThrowingRunnable assertion) {
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().untilAsserted(assertion);
    }

    public Chromium size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        return this;
    }

    /** @param colours {@code light} or {@code dark} */
    public Chromium prefers(String colours) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
        return this;
    }

    /** Presses keys where the focus is. */
    public void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Returns what axe finds serious or critical by the levels A and AA of the WCAG, each with its place. */
    @SuppressWarnings("unchecked")
    public List<String> barriers() {
        if (Boolean.FALSE.equals(run("return 'axe' in window"))) {
            run(AXE);
        }
        return (List<String>) driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                const rules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
                axe.run({ runOnly: rules, resultTypes: ['violations'] }).then(found => done(found.violations
                    .filter(each => ['serious', 'critical'].includes(each.impact))
                    .flatMap(each => each.nodes.map(node => each.id + ' at ' + node.target + ': ' + node.failureSummary))));
                """);
    }

    private static String axe() {
        try (InputStream axe = Chromium.class.getResourceAsStream("/axe.min.js")) {
            return new String(axe.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what the browser complained of since this was asked last, such as a script that the policy forbids. */
    public List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** Forgets what the browser complained of by now. */
    public void forgetComplaints() {
        complaints();
    }

    public void screenshot(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
