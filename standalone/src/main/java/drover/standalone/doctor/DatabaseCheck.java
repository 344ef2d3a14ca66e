package drover.standalone.doctor;

import drover.localenv.DataDirectory;
import drover.localenv.RunningDeployment;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Looks at the database that a mesh has or would have. */
final class DatabaseCheck {
    private DatabaseCheck() {}

    /**
     * @param named a database of the operator's; empty for the embedded one
     * @param deployment the one that runs on the data directory
     */
    static List<DoctorFinding> run(
            DataDirectory data,
            Optional<String> named,
            Optional<RunningDeployment> deployment,
            InstantSource clock) {
        Optional<String> url = named.or(() -> EmbeddedOrExternalDatabase.findRunningUrl(data));
        if (url.isEmpty() && deployment.filter(RunningDeployment::ownDatabase).isPresent()) {
            return List.of(
                    DoctorFinding.fail(
                            "database",
                            "The PostgreSQL of the running deployment does not run: 'drover up' restarts it;"
                                    + " if it stays down, read "
                                    + data.postgres().resolve("postgres.log")
                                    + "."));
        }
        if (url.isEmpty()) {
            String version = EmbeddedOrExternalDatabase.requireStartableVersion();
            return List.of(
                    DoctorFinding.ok(
                            "database", version + " can be started on this machine; none runs."));
        }
        try (EmbeddedOrExternalDatabase database = EmbeddedOrExternalDatabase.open(data, url)) {
            return List.of(
                    DoctorFinding.ok(
                            "database",
                            "The database answers, is new enough, and keeps what it is given."),
                    MachineRules.checkDatabaseClock(database.measureClockOffset(clock)));
        }
    }
}
