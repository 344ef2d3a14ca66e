package drover.manifest.document;

/**
 * Where something stands in a document.
 *
 * @param path for example {@code config_changes[0].template}; empty for the document itself
 * @param line from 1; 0 when the whole file is meant
 * @param column from 1; 0 when not known
 */
public record FieldLocation(String path, int line, int column) {
    /** The file as a whole. */
    public static final FieldLocation FILE = new FieldLocation("", 0, 0);

    /** The same spot under the path of a field of it. */
    public FieldLocation atField(String field) {
        return new FieldLocation(path.isEmpty() ? field : path + "." + field, line, column);
    }
}
