package dev.tandem.server.api;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.tandem.server.WithoutTests;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.EnglishWords;
import dev.tandem.server.words.Language;
import dev.tandem.server.words.Wordbook;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import tools.jackson.databind.JsonNode;

/** The languages of problems: English for programs, and that of the page for the console, which asks for it by a header. */
class ProblemLanguageTest extends ApiTestBase {

    private static final String HEADER = "Console-Language";

    /** Classes with routes that no page calls: those of batches, of pull workers, and of commands. */
    private static final String FOR_PROGRAMS =
            "(Batch\\w*|Pull\\w*|CallerPlaces|EndsController|PartitionsController|TokensController|ScheduleBody)";

    private static JsonNode chinese(String method, String path, String body, int status) {
        return send(
                HttpRequest.newBuilder(uri(path))
                        .header(HEADER, "zh")
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body)),
                status);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST   | /none/pause                   |  | 404 | 没有队列“none” | 此服务器的设置中有
            POST   | /orders/tasks/none/retry      |  | 404 | Redis 中没有任务“none” | 它可能
            DELETE | /orders/tasks/none?only=x     |  | 400 | 参数 only 为“x” | 请使用
            POST   | /orders/keys/none/skip        |  | 409 | 键“none”未被阻塞 | 无需处理：它的任务可以运行
            POST   | /orders/operations?action=x   |  | 400 | 参数 action 为“x”，没有这样的操作 | 请使用以下之一：
            POST   | /orders/tasks/a/reschedule    |  | 400 | at 和 delay 必须二者填一 | 立即运行请用 delay=0
            POST   | /orders/tasks | {"payload": 1, "delay": "soon"} | 400 | 无法发布该任务：消息头“tandem-delay”的值为“soon”：请使用毫秒数 |
            POST   | /orders/tasks | {"payload": 1, "delay": "-1"}  | 400 | 延迟为“-1”，小于零 | 立即运行请用 0
            POST   | /orders/tasks | {"payload":                     | 400 | 请求正文不是 JSON 形式的任务： | 请参阅 docs/protocol.md
            PUT    | /orders/pause                 |  | 405 | 此处不允许使用方法 PUT | 请使用 POST
            POST   | /orders/nothing/at/all        |  | 404 | /api/v1/queues/orders/nothing/at/all 不存在 | API 的路径
            POST   | /orders/operations?action=retry&dry-run=perhaps |  | 400 | 参数 dry-run 为“perhaps” | 请更正
            """)
    void aPageGetsTheDetailAndTheRemedyInItsLanguage(
            String method, String path, String body, int status, String detail, String remedy) {
        JsonNode problem = chinese(method, "/api/v1/queues" + path, body == null ? "" : body, status);

        assertThat(problem.path("detail").asString()).startsWith(detail);
        assertThat(problem.path("remedy").asString())
                .startsWith(remedy == null ? "" : remedy)
                .satisfies(text -> assertThat(EnglishWords.in(text)).isEmpty());
        if (problem.has("errors")) {
            assertThat(problem.path("errors").get(0).path("detail").asString()).startsWith(detail);
        }
    }

    @Test
    void aProgramGetsEnglishWhateverLanguageItsMachineHas() {
        JsonNode problem = send(
                HttpRequest.newBuilder(uri("/api/v1/queues/none/pause"))
                        .header("Accept-Language", "zh-CN")
                        .header(HEADER, "xx")
                        .POST(BodyPublishers.noBody()),
                404);

        assertThat(problem.path("detail").asString()).isEqualTo("There is no queue 'none'");
    }

    @Test
    void whatTheWebServerRefusesByItselfIsSaidInTheLanguageOfThePage() {
        FrameworkErrors.Refusal tooLarge = FrameworkErrors.of(413, "/");

        assertThat(tooLarge.type()).isEqualTo(ProblemType.TOO_LONG);
        assertThat(Wordbook.in(Language.ZH).say(tooLarge.detail())).isEqualTo("请求过大");
        assertThat(Wordbook.in(Language.EN).say(tooLarge.detail())).isEqualTo("The request is too large");
        assertThat(Wordbook.in(Language.ZH)
                        .say(FrameworkErrors.of(
                                        new HttpMediaTypeNotSupportedException("no"), new MockHttpServletRequest())
                                .orElseThrow()
                                .detail()))
                .isEqualTo("此处不支持该 Content-Type");
    }

    @Test
    void whatIsNotAvailableIsSaidInTheLanguageOfThePage() {
        PLATFORM.failure = new UnavailableException("Redis is not available: it did not answer in time");

        JsonNode problem = chinese("POST", "/api/v1/queues/orders/pause", "", 503);

        assertThat(problem.path("detail").asString()).isEqualTo("Redis 不可用：没有及时响应");
        assertThat(problem.path("remedy").asString()).isEqualTo("它仍可能生效；请先用 ./tandem queues 检查，再决定是否重试");
    }

    @Test
    void aTextOfALibraryIsQuotedWithinASentenceOfThePage() {
        PLATFORM.failure = new UnavailableException("Redis is not available: MOVED 3999 127.0.0.1:6381");

        assertThat(chinese("POST", "/api/v1/queues/orders/pause", "", 503)
                        .path("detail")
                        .asString())
                .isEqualTo("Redis 不可用：MOVED 3999 127.0.0.1:6381");
    }

    @Test
    void warningsOfAPublishedTaskAreInTheLanguageOfThePage() {
        JsonNode warnings = chinese(
                        "POST",
                        "/api/v1/queues/mail/tasks",
                        "{\"payload\": 1, \"key\": \"k\", \"dependsOn\": \"//missing/a\"}",
                        202)
                .path("warnings");

        assertThat(warnings.size()).isEqualTo(2);
        assertThat(warnings.get(0).asString()).startsWith("该任务有键，但队列“mail”不保持顺序");
        assertThat(warnings.get(1).asString()).startsWith("该任务等待队列“missing”的任务");
    }

    @Test
    void whatAPageCanRefuseHasASentenceInEachLanguage() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\." + FOR_PROGRAMS + "(\\$.*)?")
                .and()
                .doNotHaveSimpleName("ProblemType")
                .and()
                .doNotHaveSimpleName("ProblemDetails")
                .and()
                .doNotHaveSimpleName("ApiException")
                .should()
                .callMethod(ProblemType.class, "refusal", String.class, String.class)
                .orShould()
                .callMethod(ApiException.class, "parameter", String.class, String.class, String.class)
                .orShould()
                .callMethod(ApiException.class, "field", ProblemType.class, String.class, String.class, String.class)
                .orShould()
                .callMethod(ProblemDetails.class, "of", ProblemType.class, String.class, String.class)
                .because("pages show it: give it a sentence, not a text in English")
                .check(new ClassFileImporter()
                        .withImportOption(new WithoutTests())
                        .importPackages("dev.tandem.server"));
    }
}
