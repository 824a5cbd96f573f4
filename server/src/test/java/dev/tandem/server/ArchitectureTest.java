package dev.tandem.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.NullMarked;

/** The walls between the modules. The server is the one place that sees them all. */
@AnalyzeClasses(packages = "dev.tandem", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String TASK = "dev.tandem.task..";
    private static final String ORDERING = "dev.tandem.ordering..";
    private static final String EXECUTOR = "dev.tandem.executor..";
    private static final String REDIS = "dev.tandem.scheduler..";
    private static final String KAFKA = "dev.tandem.kafka..";
    private static final String RABBIT = "dev.tandem.rabbit..";
    private static final String LOCAL = "dev.tandem.local..";
    private static final String SERVER = "dev.tandem.server..";

    @ArchTest
    static final ArchRule theModelDependsOnNothing = classes()
            .that()
            .resideInAPackage(TASK)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(TASK, "java..", "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule theCoreKnowsOnlyTheModel = classes()
            .that()
            .resideInAPackage(ORDERING)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(ORDERING, TASK, "java..", "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule modelAndCoreDoNoIoAndHaveNoThreads = noClasses()
            .that()
            .resideInAnyPackage(TASK, ORDERING)
            .should()
            // A promise is the form of an answer, not a thread.
            .dependOnClassesThat(are(resideInAnyPackage(
                            "java.io..",
                            "java.net..",
                            "java.nio.file..",
                            "java.nio.channels..",
                            "java.util.concurrent.."))
                    .and(not(assignableTo(CompletionStage.class))))
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class);

    @ArchTest
    static final ArchRule modelAndCoreReadNoClockAndThrowNoDice = noClasses()
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
    static final ArchRule theExecutorKnowsNoAdapter = noClasses()
            .that()
            .resideInAPackage(EXECUTOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(REDIS, KAFKA, RABBIT, LOCAL, SERVER);

    @ArchTest
    static final ArchRule redisKnowsNoOtherModuleButTheModel = onlyTheModel(REDIS, KAFKA, RABBIT);

    @ArchTest
    static final ArchRule kafkaKnowsNoOtherModuleButTheModel = onlyTheModel(KAFKA, REDIS, RABBIT);

    @ArchTest
    static final ArchRule rabbitKnowsNoOtherModuleButTheModel = onlyTheModel(RABBIT, REDIS, KAFKA);

    @ArchTest
    static final ArchRule eachClientLibraryHasOneModule = noClasses()
            .that()
            .resideInAnyPackage(TASK, ORDERING, EXECUTOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..", "com.rabbitmq..", "io.lettuce..", "org.springframework..");

    @ArchTest
    static final ArchRule onlyTheServerKnowsSpring = noClasses()
            .that()
            .resideOutsideOfPackage(SERVER)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.tandem.(**)").should().beFreeOfCycles();

    @ArchTest
    static void everyPackageSaysWhatItIsForAndIsNullMarked(JavaClasses all) {
        List<String> without = all.getPackage("dev.tandem").getSubpackagesInTree().stream()
                .filter(p -> !p.getClasses().isEmpty())
                .filter(p -> !p.isAnnotatedWith(NullMarked.class))
                .map(JavaPackage::getName)
                .toList();
        assertThat(without).as("packages without a @NullMarked package-info").isEmpty();
    }

    private static ArchRule onlyTheModel(String adapter, String other, String another) {
        return noClasses()
                .that()
                .resideInAPackage(adapter)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(other, another, ORDERING, EXECUTOR, LOCAL, SERVER)
                .allowEmptyShould(true);
    }
}
