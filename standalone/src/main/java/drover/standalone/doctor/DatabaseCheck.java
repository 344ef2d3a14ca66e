package drover.standalone.doctor;

import drover.localenv.DataDirectory;
import drover.localenv.database.Database;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Looks at the database that a mesh has or would have. */
final class DatabaseCheck {
    private DatabaseCheck() {}

    /**
     * @param named a database of the operator's; empty for the embedded one
     */
    static List<DoctorFinding> run(
            DataDirectory data, Optional<String> named, InstantSource clock) {
        Optional<String> url = named.or(() -> Database.findRunningUrl(data));
        if (url.isEmpty()) {
            String version = Database.requireStartable();
            return List.of(
                    DoctorFinding.ok(
                            "database", version + " can be started on this machine; none runs."));
        }
        try (Database database = Database.open(data, url)) {
            return List.of(
                    DoctorFinding.ok(
                            "database",
                            "The database answers, is new enough, and keeps what it is given."),
                    MachineRules.checkDatabaseClock(database.measureClockOffset(clock)));
        }
    }
}
