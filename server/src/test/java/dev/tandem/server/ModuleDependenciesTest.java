package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** Which module may depend on which, read from the poms. {@link ArchitectureTest} checks the classes. */
class ModuleDependenciesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Set<String> PRODUCT = Set.of(
            "api",
            "task",
            "ordering",
            "executor",
            "scheduler-redis",
            "ingress-kafka",
            "ingress-rabbit",
            "client",
            "outbox",
            "opentelemetry",
            "runtime",
            "spring-boot-starter",
            "test",
            "server");

    /** The modules of a process that runs tasks. */
    private static final Set<String> PARTS =
            Set.of("api", "task", "ordering", "executor", "scheduler-redis", "ingress-kafka", "ingress-rabbit");

    /** The allowed dependencies of the product's modules, in production. */
    private static final Map<String, Set<String>> PRODUCTION = Map.ofEntries(
            Map.entry("api", Set.of()),
            Map.entry("task", Set.of()),
            Map.entry("ordering", Set.of("task")),
            Map.entry("executor", Set.of("api", "task", "ordering")),
            Map.entry("scheduler-redis", Set.of("task")),
            Map.entry("ingress-kafka", Set.of("task")),
            Map.entry("ingress-rabbit", Set.of("task")),
            Map.entry("client", Set.of("api", "task", "ingress-kafka", "ingress-rabbit")),
            Map.entry("outbox", Set.of("api")),
            Map.entry("opentelemetry", Set.of("api")),
            Map.entry("runtime", with(PARTS, "client")),
            Map.entry("spring-boot-starter", Set.of("api", "client", "opentelemetry", "outbox", "runtime")),
            Map.entry(
                    "test", Set.of("api", "task", "ordering", "executor", "client", "runtime", "spring-boot-starter")),
            Map.entry("server", with(PARTS, "runtime")));

    private static Set<String> with(Set<String> parts, String more) {
        return Stream.concat(parts.stream(), Stream.of(more)).collect(Collectors.toUnmodifiableSet());
    }

    /** Tools that tests of any module may use. */
    private static final Set<String> TEST_TOOLS = Set.of("kit", "local-platform", "testkit");

    /** Programs for developers. No module may depend on them. */
    private static final Set<String> PROGRAMS = Set.of("demo", "benchmarks", "verify");

    /** Modules that have tests only. No module may depend on them. */
    private static final Set<String> TESTS = Set.of("integration-tests", "simulations");

    /** Applications that show how Tandem is used. They have what an application has, and no module may depend on them. */
    private static final Set<String> EXAMPLES = Set.of("example-order-service", "example-plain-java");

    /** The modules that an application depends on; the rest comes with these. */
    private static final Set<String> FOR_APPLICATIONS =
            Set.of("api", "client", "outbox", "runtime", "spring-boot-starter");

    /** The list of versions. It has no dependencies and no parent. */
    private static final String BOM = "bom";

    /** One dependency of a pom on a module of this project. */
    private record Dependency(String module, String scope) {

        boolean isTest() {
            return scope.equals("test");
        }
    }

    private final Map<String, List<Dependency>> modules = readModules();

    @Test
    void everyModuleIsAProductModuleATestToolOrAProgram() {
        Set<String> known = new TreeSet<>(PRODUCT);
        known.addAll(TEST_TOOLS);
        known.addAll(PROGRAMS);
        known.addAll(TESTS);
        known.addAll(EXAMPLES);
        known.add(BOM);

        assertThat(modules.keySet()).containsExactlyInAnyOrderElementsOf(known);
        assertThat(PRODUCTION.keySet()).isEqualTo(PRODUCT);
    }

    @Test
    void productModulesDependOnlyOnTheAllowedOnes() {
        PRODUCTION.forEach((module, allowed) ->
                assertThat(production(module)).as("dependencies of %s", module).isSubsetOf(allowed));
    }

    @Test
    void theBomListsEveryProductModuleInTheVersionOfTheBuild() {
        Element bom = parse(ROOT.resolve("bom/pom.xml"));
        Element listed = child(child(bom, "dependencyManagement"), "dependencies");

        assertThat(children(listed))
                .filteredOn(each -> child(each, "groupId").getTextContent().equals("dev.tandem"))
                .extracting(ModuleDependenciesTest::moduleName)
                .containsExactlyInAnyOrderElementsOf(PRODUCT);
        assertThat(child(bom, "version").getTextContent())
                .isEqualTo(child(parse(ROOT.resolve("pom.xml")), "version").getTextContent());
    }

    @Test
    void theBomHasTheNettyOfTheTests() {
        Element listed = child(child(parse(ROOT.resolve("bom/pom.xml")), "dependencyManagement"), "dependencies");

        assertThat(children(listed))
                .filteredOn(each -> child(each, "artifactId").getTextContent().equals("netty-bom"))
                .extracting(each -> child(each, "version").getTextContent())
                .containsExactly(Version.identify().get("netty-common").artifactVersion());
    }

    @Test
    void theServerIsDeployedWithoutTools() {
        Set<String> deployed = new TreeSet<>();
        collectProduction("server", deployed);

        assertThat(deployed).isSubsetOf(PRODUCT);
    }

    @Test
    void nothingDependsOnThePrograms() {
        modules.forEach((module, dependencies) -> assertThat(dependencies)
                .as("dependencies of %s", module)
                .extracting(Dependency::module)
                .doesNotContainAnyElementsOf(PROGRAMS));
    }

    @Test
    void nothingDependsOnTheModulesOfTests() {
        modules.forEach((module, dependencies) -> assertThat(dependencies)
                .as("dependencies of %s", module)
                .extracting(Dependency::module)
                .doesNotContainAnyElementsOf(TESTS));
        for (String module : TESTS) {
            assertThat(production(module)).as(module).isEmpty();
        }
    }

    /** They take minutes. The build runs them beside the tests of other modules only if they need none of those. */
    @Test
    void theModulesOfTestsWaitForFewModules() {
        assertThat(modules.get("simulations")).extracting(Dependency::module).containsOnly("task", "ordering");
        assertThat(modules.get("integration-tests"))
                .extracting(Dependency::module)
                .isSubsetOf(Stream.concat(PARTS.stream(), TEST_TOOLS.stream()).toList());
    }

    @Test
    void theExamplesAreApplicationsAndAreNotInstalled() {
        for (String example : EXAMPLES) {
            assertThat(production(example)).as(example).isSubsetOf(FOR_APPLICATIONS);
        }
        modules.forEach((module, dependencies) -> assertThat(dependencies)
                .as("dependencies of %s", module)
                .extracting(Dependency::module)
                .doesNotContainAnyElementsOf(EXAMPLES));
        for (String folder : List.of("order-service", "plain-java")) {
            Element properties =
                    child(parse(ROOT.resolve("examples").resolve(folder).resolve("pom.xml")), "properties");
            assertThat(child(properties, "maven.install.skip").getTextContent()).isEqualTo("true");
            assertThat(child(properties, "maven.deploy.skip").getTextContent()).isEqualTo("true");
        }
    }

    @Test
    void theTestToolsDoNotDependOnTheProduct() {
        assertThat(production("kit")).isEmpty();
        assertThat(production("local-platform")).containsExactly("kit");
        assertThat(production("testkit")).containsExactlyInAnyOrder("kit", "local-platform");
    }

    @Test
    void theTestkitIsOnlyUsedInTests() {
        modules.forEach((module, dependencies) ->
                assertThat(production(module)).as("dependencies of %s", module).doesNotContain("testkit"));
    }

    private Set<String> production(String module) {
        return modules.get(module).stream()
                .filter(dependency -> !dependency.isTest())
                .map(Dependency::module)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void collectProduction(String module, Set<String> found) {
        for (String dependency : production(module)) {
            if (found.add(dependency)) {
                collectProduction(dependency, found);
            }
        }
    }

    private static Map<String, List<Dependency>> readModules() {
        Map<String, List<Dependency>> modules = new LinkedHashMap<>();
        for (Element module : children(child(parse(ROOT.resolve("pom.xml")), "modules"))) {
            Element pom = parse(ROOT.resolve(module.getTextContent()).resolve("pom.xml"));
            modules.put(moduleName(pom), dependencies(pom));
        }
        return modules;
    }

    private static List<Dependency> dependencies(Element pom) {
        List<Dependency> dependencies = new ArrayList<>();
        for (Element dependency : children(child(pom, "dependencies"))) {
            if (child(dependency, "groupId").getTextContent().equals("dev.tandem")) {
                Element scope = child(dependency, "scope");
                dependencies.add(
                        new Dependency(moduleName(dependency), scope == null ? "compile" : scope.getTextContent()));
            }
        }
        return dependencies;
    }

    private static String moduleName(Element artifact) {
        return child(artifact, "artifactId").getTextContent().replaceFirst("^tandem-", "");
    }

    private static Element parse(Path pom) {
        try (var in = Files.newInputStream(pom)) {
            Document document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
            return document.getDocumentElement();
        } catch (IOException | org.xml.sax.SAXException | javax.xml.parsers.ParserConfigurationException e) {
            throw new AssertionError("Cannot read " + pom, e);
        }
    }

    private static Element child(Element parent, String name) {
        return children(parent).stream()
                .filter(element -> element.getTagName().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static List<Element> children(Element parent) {
        if (parent == null) {
            return List.of();
        }
        return Stream.iterate(parent.getFirstChild(), node -> node != null, Node::getNextSibling)
                .filter(Element.class::isInstance)
                .map(Element.class::cast)
                .toList();
    }
}
