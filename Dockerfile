# The server as an image. `docker compose up` builds it; see docker-compose.yml.

FROM maven:3.9.16-eclipse-temurin-17 AS build
WORKDIR /build
COPY . .
RUN mvn --batch-mode --quiet -pl server -am -DskipTests -Dspotless.check.skip=true -Dmaven.source.skip=true package \
      dependency:copy-dependencies -DincludeScope=runtime \
 && mkdir -p /opt/tandem/lib /opt/tandem/own \
 && cp server/target/dependency/*.jar /opt/tandem/lib/ \
 && mv /opt/tandem/lib/tandem-*.jar /opt/tandem/own/ \
 && cp server/target/tandem-server-*.jar /opt/tandem/own/

FROM eclipse-temurin:17.0.20_8-jre
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin tandem
# Libraries change rarely, so they are a layer of their own.
COPY --from=build /opt/tandem/lib /opt/tandem/lib
COPY --from=build /opt/tandem/own /opt/tandem/own
COPY docker/entrypoint.sh /opt/tandem/entrypoint.sh
# An archive of the classes, from which the server starts fast. Made by the Java that uses it, for a class path without
# wildcards: their order may differ from one run to the next. No entry of it is empty: Java takes that for the working
# directory, and the settings that are mounted there must not bring code. Without an archive the image works too.
RUN printf '%s\n' /opt/tandem/own/*.jar /opt/tandem/lib/*.jar | paste -sd: - > /opt/tandem/class-path \
 && { timeout 120 java -XX:ArchiveClassesAtExit=/opt/tandem/classes.archive -Xlog:disable -Xlog:all=error:stderr \
        -cp "$(cat /opt/tandem/class-path)" dev.tandem.server.StartTraining \
      || { echo "No archive of the classes could be made"; rm -f /opt/tandem/classes.archive; }; }
RUN mkdir -p /var/lib/tandem && chown tandem /var/lib/tandem && chmod 700 /var/lib/tandem
USER tandem
WORKDIR /etc/tandem
# Inside a container loopback reaches nobody. The first token of the API is written to a folder that may be a volume.
# The locale is that of programs, too: only with UTF-8 they get all characters.
ENV LC_ALL=C.UTF-8 \
    SERVER_ADDRESS=0.0.0.0 \
    TANDEM_API_TOKENFILE=/var/lib/tandem/admin-token \
    TANDEM_JAVA_OPTS="-XX:MaxRAMPercentage=60 -XX:+ExitOnOutOfMemoryError"
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=6 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /actuator/health/liveness HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200'"]
ENTRYPOINT ["sh", "/opt/tandem/entrypoint.sh"]
