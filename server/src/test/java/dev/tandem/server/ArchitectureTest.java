package dev.tandem.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URLEncoder;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;

/** The boundaries between the product's modules, checked here because the server depends on all of them. */
@AnalyzeClasses(packages = "dev.tandem", importOptions = WithoutTests.class)
class ArchitectureTest {

    private static final String API = "dev.tandem.api..";
    private static final String TASK = "dev.tandem.task..";
    private static final String ORDERING = "dev.tandem.ordering..";
    private static final String EXECUTOR = "dev.tandem.executor..";
    private static final String REDIS = "dev.tandem.scheduler..";
    private static final String KAFKA = "dev.tandem.kafka..";
    private static final String RABBIT = "dev.tandem.rabbit..";
    private static final String RUNTIME = "dev.tandem.runtime..";
    private static final String SERVER = "dev.tandem.server..";
    private static final String COMMANDS = "dev.tandem.server.cli..";

    private static final String[] PRODUCT = {API, TASK, ORDERING, EXECUTOR, REDIS, KAFKA, RABBIT, RUNTIME, SERVER};

    /** The modules under tools/. */
    private static final String[] TOOLS = {
        "dev.tandem.local..",
        "dev.tandem.testkit..",
        "dev.tandem.demo..",
        "dev.tandem.verify..",
        "dev.tandem.benchmarks.."
    };

    /** Applications depend on it, so it brings nothing that could clash with what they have. */
    @ArchTest
    static final ArchRule theApiDependsOnNothing = classes()
            .that()
            .resideInAPackage(API)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(API, "java..", "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule taskDependsOnNothing = classes()
            .that()
            .resideInAPackage(TASK)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(TASK, "java..", "org.jspecify.annotations..");

    /** The script {@code ./tandem} gives these libraries to commands, and no others. */
    @ArchTest
    static final ArchRule commandsNeedFewLibraries = classes()
            .that()
            .resideInAPackage(COMMANDS)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    COMMANDS,
                    "dev.tandem.server.credentials..",
                    "dev.tandem.server.findings..",
                    TASK,
                    "java..",
                    "javax.net.ssl..",
                    "com.sun.net.httpserver..",
                    "picocli..",
                    "tools.jackson..",
                    "com.fasterxml.jackson..",
                    "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule orderingDependsOnlyOnTask = classes()
            .that()
            .resideInAPackage(ORDERING)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(ORDERING, TASK, "java..", "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule taskAndOrderingUseNeitherIoNorThreads = noClasses()
            .that()
            .resideInAnyPackage(TASK, ORDERING)
            .should()
            // Allowed are CompletionStage, which is a promise of an answer and not a thread; single numbers
            // that threads share, as the bytes in memory and the state of a row; the set of keys that a recall
            // looks for; and the encoder of text in URLs, which connects to nothing.
            .dependOnClassesThat(are(resideInAnyPackage(
                            "java.io..",
                            "java.net..",
                            "java.nio.file..",
                            "java.nio.channels..",
                            "java.util.concurrent.."))
                    .and(not(assignableTo(CompletionStage.class)))
                    .and(not(equivalentTo(AtomicLong.class)))
                    .and(not(equivalentTo(AtomicInteger.class)))
                    .and(not(equivalentTo(ConcurrentHashMap.class)))
                    .and(not(equivalentTo(ConcurrentHashMap.KeySetView.class)))
                    .and(not(equivalentTo(URLEncoder.class))))
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class);

    @ArchTest
    static final ArchRule taskAndOrderingReadNoClockAndAreDeterministic = noClasses()
            .that()
            .resideInAnyPackage(TASK, ORDERING)
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(java.util.Random.class)
            .orShould()
            .callMethod(java.util.UUID.class, "randomUUID")
            .orShould()
            .callMethod(Math.class, "random");

    @ArchTest
    static final ArchRule theExecutorDependsOnNoAdapter = noClasses()
            .that()
            .resideInAPackage(EXECUTOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(REDIS, KAFKA, RABBIT, RUNTIME, SERVER);

    @ArchTest
    static final ArchRule redisDependsOnlyOnTask = onlyTask(REDIS, KAFKA, RABBIT);

    @ArchTest
    static final ArchRule kafkaDependsOnlyOnTask = onlyTask(KAFKA, REDIS, RABBIT);

    @ArchTest
    static final ArchRule rabbitDependsOnlyOnTask = onlyTask(RABBIT, REDIS, KAFKA);

    @ArchTest
    static final ArchRule theCoreUsesNoClientLibrary = noClasses()
            .that()
            .resideInAnyPackage(TASK, ORDERING, EXECUTOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..", "com.rabbitmq..", "io.lettuce..", "org.springframework..");

    @ArchTest
    static final ArchRule onlyTheServerUsesSpring = noClasses()
            .that()
            .resideOutsideOfPackages(RUNTIME, SERVER)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..");

    /** A program with handlers of its own is no Spring application: only the settings are read by Spring's classes. */
    @ArchTest
    static final ArchRule theRuntimeStartsNoApplicationContext = noClasses()
            .that()
            .resideInAPackage(RUNTIME)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.tandem.server..",
                    "org.springframework.beans..",
                    "org.springframework.context..",
                    "org.springframework.web..",
                    "org.springframework.boot.autoconfigure..");

    @ArchTest
    static final ArchRule theProductUsesNoTools = noClasses()
            .that()
            .resideInAnyPackage(PRODUCT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(TOOLS);

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.tandem.(**)").should().beFreeOfCycles();

    @ArchTest
    static void everyPackageIsDocumentedAndNullMarked(JavaClasses all) {
        List<String> without = all.getPackage("dev.tandem").getSubpackagesInTree().stream()
                .filter(p -> !p.getClasses().isEmpty())
                .filter(p -> !p.isAnnotatedWith(NullMarked.class))
                .map(JavaPackage::getName)
                .toList();
        assertThat(without).as("packages without a @NullMarked package-info").isEmpty();
    }

    private static ArchRule onlyTask(String adapter, String other, String another) {
        return noClasses()
                .that()
                .resideInAPackage(adapter)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(other, another, ORDERING, EXECUTOR, RUNTIME, SERVER)
                .allowEmptyShould(true);
    }
}
