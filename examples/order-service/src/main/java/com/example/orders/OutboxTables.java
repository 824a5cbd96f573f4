package com.example.orders;

import org.flywaydb.core.Flyway;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes the tables of the outbox from the scripts in its jar, with a history of their own beside the application's. */
@Configuration(proxyBeanMethods = false)
class OutboxTables {

    @Bean
    FlywayMigrationStrategy migrations() {
        return own -> {
            own.migrate();
            Flyway.configure()
                    .dataSource(own.getConfiguration().getDataSource())
                    .locations("classpath:db/tandem/postgresql")
                    .table("tandem_schema_history")
                    .baselineOnMigrate(true)
                    .baselineVersion("0")
                    .load()
                    .migrate();
        };
    }
}
