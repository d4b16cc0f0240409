fn main() -> std::io::Result<()> {
    robotsieve_python_stubs::write("types/robotsieve_fetch.pyi", "__init__.pyi")?;
    robotsieve_python_stubs::mark_as_typed()
}
