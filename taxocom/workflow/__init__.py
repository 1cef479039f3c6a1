"""What people do with a project, each thing once: pages and commands are thin over it."""
