package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document that is checked in says what the routes are. */
class OpenApiDocumentTest extends ApiTestBase {

    /** Writes the document anew. */
    static final String WRITE =
            "mvn -q -pl server -am test -Dtest=OpenApiDocumentTest#documentAndRoutesAreTheSame -Dopenapi=write"
                    + " -Dsurefire.failIfNoSpecifiedTests=false";

    static final Path FILES = Path.of("src/main/resources/openapi");

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @Test
    void documentAndRoutesAreTheSame() throws IOException {
        Map<String, Object> document = new OpenApiGenerator()
                .document(bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class));

        keepTheSame("tandem.json", JSON.writeValueAsString(document) + "\n");
        keepTheSame("tandem.yaml", yaml(document));
    }

    private static void keepTheSame(String name, String made) throws IOException {
        Path file = FILES.resolve(name);
        if ("write".equals(System.getProperty("openapi"))) {
            Files.createDirectories(FILES);
            Files.writeString(file, made);
        }
        assertThat(Files.exists(file) ? Files.readString(file) : "")
                .as(
                        "server/%s is not what the routes are. Look at the difference; if the routes are right, run%n  %s%n",
                        file, WRITE)
                .isEqualTo(made);
    }

    private static String yaml(Map<String, Object> document) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(110);
        return new Yaml(new WithoutAnchors(options), options).dump(document);
    }

    /** Writes what occurs twice twice, and texts of several lines as such. */
    private static final class WithoutAnchors extends Representer {
        WithoutAnchors(DumperOptions options) {
            super(options);
        }

        @Override
        protected Node representScalar(Tag tag, String value, DumperOptions.ScalarStyle style) {
            return super.representScalar(tag, value, value.contains("\n") ? DumperOptions.ScalarStyle.LITERAL : style);
        }
    }

    @Test
    void bothFormsAreServed() throws Exception {
        JsonNode json = get("/api/v1/openapi.json", 200);
        String yaml = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri("/api/v1/openapi.yaml")).build(), BodyHandlers.ofString())
                .body();

        assertThat(json.path("openapi").asString()).startsWith("3.1");
        assertThat(JSON.<JsonNode>valueToTree(new Yaml().load(yaml))).isEqualTo(json);
    }

    @Test
    void everyExampleIsAsItsSchemaSays() {
        JsonNode document = OpenApiAnswers.document();
        List<String> wrong = new ArrayList<>();
        document.findParents("example").forEach(holder -> {
            if (holder.has("schema")) {
                wrong.addAll(OpenApiAnswers.problems(holder.path("schema"), holder.path("example"), "example"));
            }
        });
        assertThat(wrong).isEmpty();
        assertThat(document.findParents("example")).hasSizeGreaterThan(20);
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        JsonNode document = OpenApiAnswers.document();
        for (JsonNode ref : document.findValues("$ref")) {
            assertThat(document.at(URI.create(ref.asString()).getFragment()).isMissingNode())
                    .as(ref.asString())
                    .isFalse();
        }
    }

    @Test
    void everyOperationHasAnIdOfItsOwn() {
        List<String> ids = OpenApiAnswers.document().path("paths").findValuesAsString("operationId");
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("[a-z][A-Za-z]+"));
    }

    @Test
    void schemaNamesAndTextsAreThoseOfClientsNotOfClasses() {
        String text = OpenApiAnswers.document().toString();
        assertThat(text).doesNotContain("dev.tandem", "Controller", "{@", "java.", "@param");
        OpenApiAnswers.document()
                .at("/components/schemas")
                .properties()
                .forEach(schema -> assertThat(schema.getKey()).matches("[A-Z][A-Za-z]+"));
    }
}
